// Cuts Markdown at blank lines, outside of fences, maths and lists, so that a growing answer
// renders only its last block again and not all that came before.
const kFence = /^ {0,3}(`{3,}|~{3,})/;
const kListItem = /^\s*([-*+]|\d{1,9}[.)])\s/;

export function splitBlocks(text: string): string[] {
    const blocks: string[] = [];
    let block: string[] = [];
    let fence = "";
    let inMath = false;
    let inList = false;
    let blank = false;
    const close = () => {
        if (block.length > 0) blocks.push(block.join("\n"));
        block = [];
    };
    for (const line of text.split("\n")) {
        const isOpen = fence !== "" || inMath;
        if (!isOpen && line.trim() === "") {
            blank = true;
            block.push(line);
            continue;
        }
        const goesOn = isOpen || (inList && (kListItem.test(line) || /^\s/.test(line)));
        if (blank && !goesOn) {
            close();
            inList = false;
        }
        blank = false;
        if (!isOpen && kListItem.test(line)) inList = true;
        const mark = kFence.exec(line)?.[1];
        if (mark && !inMath) {
            if (fence === "") fence = mark;
            else if (mark[0] === fence[0] && mark.length >= fence.length) fence = "";
        } else if (fence === "" && line.trim().startsWith("$$")) {
            const single = line.trim().length > 2 && line.trim().endsWith("$$");
            if (!single) inMath = !inMath;
        }
        block.push(line);
    }
    close();
    return blocks;
}
