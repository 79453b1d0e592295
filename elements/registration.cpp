// See the header: the list of the elements.
#include "elements/registration.hpp"

#include "elements/caption/seesaycaption.hpp"
#include "elements/features/seesayfeatures.hpp"
#include "elements/overlay/seesayoverlay.hpp"
#include "elements/publish/seesaypublish.hpp"
#include "elements/source/seesaysource.hpp"

namespace seesay::elements {

bool register_elements(GstPlugin* plugin) {
    return register_source(plugin) && register_features(plugin) && register_caption(plugin) &&
           register_overlay(plugin) && register_publish(plugin);
}

}  // namespace seesay::elements
