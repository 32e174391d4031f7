import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/ui/button";

export function CopyButton({ text, label }: { text: string; label?: string }) {
    const { t } = useTranslation();
    const [copied, setCopied] = useState(false);
    const copy = async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
        setTimeout(() => setCopied(false), 1500);
    };
    return (
        <IconButton
            small
            label={copied ? t("common.copied") : (label ?? t("common.copy"))}
            onClick={() => void copy()}
        >
            {copied ? <Check size={14} className="text-hot" /> : <Copy size={14} />}
        </IconButton>
    );
}
