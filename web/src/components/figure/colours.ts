// Told apart on light and on dark, and by most who see few colours.
const kColours = [
    "#12897f",
    "#d97706",
    "#4f7fd9",
    "#c2417c",
    "#7c9a2e",
    "#8b5cf6",
    "#b45309",
    "#64748b",
];
export const colourOf = (at: number) => kColours[at % kColours.length] ?? "#12897f";
