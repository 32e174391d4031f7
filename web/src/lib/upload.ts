// Uploads with true progress: bytes that left, as XMLHttpRequest tells them and fetch does not.
import { ApiError, errorFrom, headersWithToken } from "@/lib/api";
import { tokenStore } from "@/lib/token";

export interface UploadOptions {
    method: string;
    path: string;
    body: FormData | File;
    onProgress: (fraction: number) => void;
    signal?: AbortSignal;
}

export function upload<T>(options: UploadOptions): Promise<T> {
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open(options.method, options.path);
        const token = tokenStore.get();
        for (const [name, value] of Object.entries(headersWithToken())) {
            request.setRequestHeader(name, value);
        }
        if (options.body instanceof File) {
            request.setRequestHeader("Content-Type", "application/octet-stream");
        }
        request.upload.onprogress = (event) => {
            if (event.lengthComputable && event.total > 0) {
                options.onProgress(event.loaded / event.total);
            }
        };
        request.onload = () => {
            const text = request.responseText;
            if (request.status < 200 || request.status >= 300) {
                const wait = request.getResponseHeader("Retry-After");
                reject(errorFrom(request.status, text, wait, token));
                return;
            }
            resolve((text ? JSON.parse(text) : undefined) as T);
        };
        request.onerror = () => reject(new ApiError(0, ""));
        request.onabort = () => reject(new DOMException("", "AbortError"));
        options.signal?.addEventListener("abort", () => request.abort(), { once: true });
        request.send(options.body);
    });
}
