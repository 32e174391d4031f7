import "./index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/app";
import { toast } from "@/components/ui/toasts";
import { ApiError } from "@/lib/api";
import { sentenceOfError } from "@/lib/describe-error";
import i18n from "@/lib/i18n";
import { keepTokenFresh } from "@/lib/renew-token";

// A click that failed and has no place of its own for saying so: a download, a port's page.
addEventListener("unhandledrejection", (event) => {
    if (!(event.reason instanceof ApiError)) return;
    event.preventDefault();
    toast(sentenceOfError(event.reason, i18n.t), { bad: true });
});

keepTokenFresh();

const root = document.getElementById("root");
if (root)
    createRoot(root).render(
        <StrictMode>
            <App />
        </StrictMode>,
    );
