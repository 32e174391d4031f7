export function Logo({ size = 24 }: { size?: number }) {
    return (
        <svg
            width={size}
            height={size}
            viewBox="0 0 24 24"
            fill="none"
            aria-hidden
            className="text-accent"
        >
            <path
                d="M20.5 9.2A9 9 0 1 1 14.8 3.4"
                stroke="currentColor"
                strokeWidth="3.2"
                strokeLinecap="round"
            />
            <circle cx="18.2" cy="5.2" r="1.7" fill="currentColor" />
        </svg>
    );
}
