// An editor that saves. It lives in a shadow tree: there CodeMirror's styles are adopted sheets,
// which the page's policy allows, and not style elements, which it refuses.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { python } from "@codemirror/lang-python";
import {
    bracketMatching,
    HighlightStyle,
    indentOnInput,
    syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
    EditorView,
    drawSelection,
    highlightActiveLine,
    keymap,
    lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/ui/button";
import { ErrorNotice, Notice } from "@/components/ui/notice";
import { ApiError } from "@/lib/api";
import { saveFile } from "../api/files";

const kLanguages: Record<string, () => Extension> = {
    python,
    json,
    markdown,
    javascript,
    typescript: () => javascript({ typescript: true }),
};
const colours = HighlightStyle.define([
    { tag: [tags.keyword, tags.operatorKeyword], color: "var(--code-kw)" },
    { tag: tags.string, color: "var(--code-str)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--code-num)" },
    { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
    {
        tag: [tags.function(tags.variableName), tags.definition(tags.function(tags.variableName))],
        color: "var(--code-fn)",
    },
    { tag: tags.heading, fontWeight: "600" },
]);
const look = EditorView.theme({
    "&": {
        height: "100%",
        fontSize: "12.5px",
        backgroundColor: "var(--panel)",
        color: "var(--ink)",
    },
    ".cm-content": { fontFamily: "var(--font-mono)", caretColor: "var(--ink)" },
    ".cm-cursor": { borderLeftColor: "var(--ink)" },
    ".cm-gutters": {
        backgroundColor: "var(--rail)",
        color: "var(--ink-3)",
        border: "none",
        fontFamily: "var(--font-mono)",
    },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--line-soft)" },
    "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
        backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent) !important",
    },
    ".cm-panels": { backgroundColor: "var(--rail)", color: "var(--ink)" },
});

interface EditorProps {
    session: string;
    file: string;
    text: string;
    etag: string;
    language: string;
    onClose: (saved: boolean) => void;
}

export default function Editor({ session, file, text, etag, language, onClose }: EditorProps) {
    const { t } = useTranslation();
    const place = useRef<HTMLDivElement>(null);
    const view = useRef<EditorView | null>(null);
    const [changed, setChanged] = useState(false);
    const [busy, setBusy] = useState(false);
    const [error, setError] = useState<unknown>(null);

    const save = async (anyway: boolean) => {
        if (!view.current) return;
        setBusy(true);
        try {
            await saveFile(session, file, view.current.state.doc.toString(), anyway ? "" : etag);
            onClose(true);
        } catch (failure) {
            setError(failure);
            setBusy(false);
        }
    };
    const latest = useRef(save);
    latest.current = save;

    useEffect(() => {
        const host = place.current;
        if (!host) return;
        const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
        const parent = document.createElement("div");
        parent.style.height = "100%";
        root.replaceChildren(parent);
        const save = {
            key: "Mod-s",
            preventDefault: true,
            run: () => {
                void latest.current(false);
                return true;
            },
        };
        const extensions: Extension[] = [
            lineNumbers(),
            history(),
            drawSelection(),
            indentOnInput(),
            bracketMatching(),
            highlightActiveLine(),
            highlightSelectionMatches(),
            syntaxHighlighting(colours),
            look,
            EditorView.lineWrapping,
            EditorView.contentAttributes.of({ "aria-label": file }),
            keymap.of([save, ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
            EditorView.updateListener.of((update) => {
                if (update.docChanged) setChanged(true);
            }),
        ];
        const grammar = kLanguages[language];
        if (grammar) extensions.push(grammar());
        view.current = new EditorView({
            state: EditorState.create({ doc: text, extensions }),
            parent,
            root,
        });
        view.current.focus();
        return () => view.current?.destroy();
        // A new text is a new editor: the parent gives it another key.
    }, []);

    const conflict = error instanceof ApiError && error.status === 412;
    return (
        <div className="flex min-h-0 flex-1 flex-col">
            {error != null && (
                <div className="p-3">
                    {conflict ? (
                        <Notice
                            title={t("files.changedMeanwhile")}
                            action={{ label: t("files.overwrite"), onClick: () => void save(true) }}
                        />
                    ) : (
                        <ErrorNotice error={error} onRetry={() => void save(false)} />
                    )}
                </div>
            )}
            <div ref={place} data-testid="editor" className="min-h-0 flex-1 overflow-hidden" />
            <div className="flex flex-none items-center justify-end gap-2 border-t border-line px-3 py-2">
                <Button small onClick={() => onClose(false)}>
                    {changed ? t("files.discard") : t("common.close")}
                </Button>
                <Button
                    small
                    kind="primary"
                    disabled={!changed || busy}
                    onClick={() => void save(false)}
                >
                    {t("common.save")}
                </Button>
            </div>
        </div>
    );
}
