// The entry of the bundle: defines the element, once, however often the script is loaded.

import { PostilComments } from "./element";

if (!customElements.get("postil-comments")) customElements.define("postil-comments", PostilComments);
