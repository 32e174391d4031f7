// A first program in TypeScript: types are stripped, not checked, so it starts at once.
interface Reef {
    name: string;
    lagoonKm2: number;
}

const reefs: Reef[] = [
    { name: "Rangiroa", lagoonKm2: 1446 },
    { name: "Aldabra", lagoonKm2: 224 },
];

const largest = reefs.reduce((a, b) => (a.lagoonKm2 > b.lagoonKm2 ? a : b));
console.log(`Hello from ${largest.name}, ${largest.lagoonKm2} km²`);
