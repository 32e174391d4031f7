// Before the first paint, so that a dark page does not flash white. A file of its own because the
// page's policy allows no inline script.
(function () {
    var chosen = null;
    try {
        chosen = localStorage.getItem("atoll.theme");
    } catch (refused) {
        // Storage is off: the system's choice holds.
    }
    var dark = matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = chosen || (dark ? "dark" : "light");
})();
