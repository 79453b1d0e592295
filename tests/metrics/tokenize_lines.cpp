// Developer program: reads captions from standard input, one a line, and prints their tokens
// separated by blanks. tools/compare_tokenizer.py and make_goldens.py hold it against the Java
// tokeniser.
//   tokenize_lines [--keep-punctuation] < captions
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "models/metrics/ptb_tokenizer.hpp"

int main(int argc, char** argv) {
    const bool keep_punctuation = argc == 2 && std::string_view(argv[1]) == "--keep-punctuation";
    if (argc > 1 && !keep_punctuation) {
        std::cerr << "usage: tokenize_lines [--keep-punctuation] < captions\n";
        return 2;
    }
    std::ios::sync_with_stdio(false);
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);)
        lines.push_back(line);
    seesay::metrics::PtbTokenizer tokenizer;
    for (const auto& tokens :
         keep_punctuation ? tokenizer.tokens_of_lines(lines) : tokenizer.words_of_lines(lines)) {
        for (std::size_t i = 0; i < tokens.size(); ++i)
            std::cout << (i > 0 ? " " : "") << tokens[i];
        std::cout << '\n';
    }
    return 0;
}
