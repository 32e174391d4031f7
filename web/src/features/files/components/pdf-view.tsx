// Pages of a PDF, drawn by pdf.js: the page's policy has no place for the browser's own viewer.
// A page is drawn when it comes near the screen.
import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist";
import worker from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Notice } from "@/components/ui/notice";
import { fileAddress } from "@/lib/addresses";
import { headersWithToken } from "@/lib/api";
import { formatNumber } from "@/lib/format";

GlobalWorkerOptions.workerSrc = worker;

export default function PdfView({ session, file }: { session: string; file: string }) {
    const { t } = useTranslation();
    const [pdf, setPdf] = useState<PDFDocumentProxy | null>(null);
    const [failed, setFailed] = useState("");
    useEffect(() => {
        const task = getDocument({
            url: fileAddress(session, file),
            httpHeaders: headersWithToken(),
            isEvalSupported: false,
            useWasm: false,
            enableXfa: false,
        });
        task.promise.then(setPdf, (error: unknown) =>
            setFailed(error instanceof Error ? error.message : String(error)),
        );
        return () => void task.destroy().catch(() => undefined);
    }, [session, file]);
    if (failed)
        return (
            <div className="p-4">
                <Notice title={t("files.pdfFailed")}>{failed}</Notice>
            </div>
        );
    if (!pdf) return <div className="skeleton m-4 aspect-[1/1.4]" />;
    return (
        <div className="min-h-0 flex-1 overflow-auto bg-soft p-4" tabIndex={0}>
            <p className="tabular pb-2 text-12 text-ink-2">
                {t("files.pages", { count: pdf.numPages, pages: formatNumber(pdf.numPages) })}
            </p>
            {Array.from({ length: pdf.numPages }, (_, at) => (
                <PdfPage key={at} pdf={pdf} number={at + 1} />
            ))}
        </div>
    );
}

function PdfPage({ pdf, number }: { pdf: PDFDocumentProxy; number: number }) {
    const { t } = useTranslation();
    const canvas = useRef<HTMLCanvasElement>(null);
    const [near, setNear] = useState(false);
    useEffect(() => {
        if (!canvas.current) return;
        const observer = new IntersectionObserver(
            ([entry]) => {
                if (entry?.isIntersecting) setNear(true);
            },
            { rootMargin: "600px" },
        );
        observer.observe(canvas.current);
        return () => observer.disconnect();
    }, []);
    useEffect(() => {
        const element = canvas.current;
        if (!near || !element) return;
        let stop = () => {};
        let gone = false;
        void pdf.getPage(number).then((page) => {
            if (gone) return;
            const plain = page.getViewport({ scale: 1 });
            const scale = (Math.max(element.clientWidth, 320) / plain.width) * devicePixelRatio;
            const viewport = page.getViewport({ scale });
            element.width = viewport.width;
            element.height = viewport.height;
            const task = page.render({ canvas: element, viewport });
            stop = () => task.cancel();
            task.promise.catch(() => undefined);
        });
        return () => {
            gone = true;
            stop();
        };
    }, [near, pdf, number]);
    return (
        <canvas
            ref={canvas}
            role="img"
            aria-label={t("files.page", { number })}
            className="mx-auto mb-4 block w-full max-w-3xl bg-white shadow-low"
        />
    );
}
