// Completion in the kernel itself, with IPython's own completer: the API has none. It is asked for
// with Tab only, since it runs in the kernel that holds the user's variables.
import { kThreadContext, runCode } from "@/lib/kernel";

export interface Completion {
    from: number;
    words: string[];
}

const kWordsMax = 60;

export async function complete(session: string, code: string, at: number): Promise<Completion> {
    // The line up to the cursor: what stands before it has been run or has not.
    const start = code.lastIndexOf("\n", at - 1) + 1;
    const line = JSON.stringify(code.slice(start, at));
    const program =
        `print(__import__("json").dumps((lambda found: ` +
        `[found[0], list(found[1])[:${kWordsMax}]])(get_ipython().complete(${line}))))`;
    const answer = await runCode(session, { code: program, context: kThreadContext });
    const [text, words] = JSON.parse(answer.stdout || '["", []]') as [string, string[]];
    return { from: at - text.length, words: words.filter((word) => !word.startsWith("%")) };
}
