// Lets a library that writes style elements live with a policy that refuses them: while `work`
// runs, the style elements it makes are inert ones, and what is written into them goes to sheets
// that the document adopts. Returns what removes the sheets again.
export function withAdoptedStyles(work: () => void): () => void {
    const undo: (() => void)[] = [];
    const original = document.createElement;
    const make = (): HTMLElement => {
        const element = original.call(document, "atoll-sheet");
        element.hidden = true;
        const sheet = new CSSStyleSheet();
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
        const observer = new MutationObserver(() => sheet.replaceSync(element.textContent ?? ""));
        observer.observe(element, { childList: true, characterData: true, subtree: true });
        undo.push(() => {
            observer.disconnect();
            document.adoptedStyleSheets = document.adoptedStyleSheets.filter(
                (one) => one !== sheet,
            );
        });
        return element;
    };
    document.createElement = function (
        this: Document,
        name: string,
        options?: ElementCreationOptions,
    ) {
        return name === "style" ? make() : original.call(document, name, options);
    } as typeof document.createElement;
    try {
        work();
    } finally {
        document.createElement = original;
    }
    return () => undo.forEach((one) => one());
}
