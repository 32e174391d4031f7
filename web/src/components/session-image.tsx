// An image of a session: its address as it is, or with a token when keys are on.
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { openable } from "@/lib/addresses";
import { request } from "@/lib/api";
import { tokenStore } from "@/lib/token";

interface ImageProps {
    session: string;
    address: string;
    alt: string;
    className?: string;
}

// Of a thread's file there is no token: it is fetched with the key.
async function sourceOf(session: string, address: string): Promise<string> {
    if (!tokenStore.get()) return address;
    if (address.startsWith("/v1/sessions/")) return await openable(session, address, "files");
    const response = await request(address);
    return URL.createObjectURL(await response.blob());
}

export function SessionImage({ session, address, alt, className = "" }: ImageProps) {
    const { t } = useTranslation();
    const [source, setSource] = useState("");
    const [failed, setFailed] = useState(false);
    useEffect(() => {
        let made = "";
        let gone = false;
        setFailed(false);
        sourceOf(session, address).then(
            (found) => {
                made = found;
                if (gone) URL.revokeObjectURL(made);
                else setSource(found);
            },
            () => setFailed(true),
        );
        return () => {
            gone = true;
            if (made.startsWith("blob:")) URL.revokeObjectURL(made);
        };
    }, [session, address]);
    if (failed) {
        return (
            <div className="grid min-h-40 place-items-center bg-soft px-4 text-13 text-ink-2">
                {t("image.gone")}
            </div>
        );
    }
    if (!source) return <div className={`skeleton min-h-40 ${className}`} />;
    return <img src={source} alt={alt} className={className} onError={() => setFailed(true)} />;
}
