// localStorage that may be off or full: what cannot be remembered is forgotten.
export function recall(name: string): string | null {
    try {
        return localStorage.getItem(name);
    } catch {
        return null;
    }
}

export function remember(name: string, value: string): void {
    try {
        localStorage.setItem(name, value);
    } catch {
        // The choice holds until the page is left.
    }
}
