// Takes files that are dropped anywhere on it, and says so while they hover.
import { Upload } from "lucide-react";
import { useRef, useState, type DragEvent, type ReactNode } from "react";

interface DropZoneProps {
    label: string;
    onFiles: (files: File[]) => void;
    className?: string;
    children: ReactNode;
}

const hasFiles = (event: DragEvent) => [...event.dataTransfer.types].includes("Files");

export function DropZone({ label, onFiles, className = "", children }: DropZoneProps) {
    const [over, setOver] = useState(false);
    // Entering a child leaves its parent: only the balance tells.
    const depth = useRef(0);
    const move = (by: number) => {
        depth.current = Math.max(0, depth.current + by);
        setOver(depth.current > 0);
    };
    return (
        <div
            className={`relative ${className}`}
            onDragEnter={(event) => {
                if (hasFiles(event)) {
                    event.preventDefault();
                    move(1);
                }
            }}
            onDragOver={(event) => {
                if (hasFiles(event)) event.preventDefault();
            }}
            onDragLeave={(event) => {
                if (hasFiles(event)) move(-1);
            }}
            onDrop={(event) => {
                if (!hasFiles(event)) return;
                event.preventDefault();
                event.stopPropagation();
                depth.current = 0;
                setOver(false);
                onFiles([...event.dataTransfer.files]);
            }}
        >
            {children}
            {over && (
                <div
                    className="appear pointer-events-none absolute inset-2 z-30 grid place-items-center rounded-2xl
                    border-2 border-dashed border-accent bg-accent-soft/90"
                >
                    <span className="flex items-center gap-2.5 text-16 font-medium text-accent">
                        <Upload size={20} />
                        {label}
                    </span>
                </div>
            )}
        </div>
    );
}
