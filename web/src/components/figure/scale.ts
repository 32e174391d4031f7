// Where values stand on an axis, and which of them are written beside it.
export interface Scale {
    at: (value: number) => number;
    ticks: readonly number[];
}

// From `low` to `high`, widened to round numbers; about `count` ticks.
export function linear(low: number, high: number, length: number, count = 5): Scale {
    if (!(high > low)) [low, high] = [low - (Math.abs(low) || 1), high + (Math.abs(high) || 1)];
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
    const first = Math.floor(low / step + 1e-9) * step;
    const last = Math.ceil(high / step - 1e-9) * step;
    const ticks: number[] = [];
    for (let n = 0; first + n * step <= last + step / 2; n += 1)
        ticks.push(Number((first + n * step).toPrecision(12)));
    return { at: (value) => ((value - first) / (last - first)) * length, ticks };
}

// Times are not widened: their round numbers are not ours.
export function times(low: number, high: number, length: number, count = 5): Scale {
    if (high === low) return { at: () => length / 2, ticks: [low] };
    const ticks = Array.from({ length: count }, (_, n) => low + ((high - low) * n) / (count - 1));
    return { at: (value) => ((value - low) / (high - low)) * length, ticks };
}

// The middles of equal parts. Not every name fits: each `every`th is written.
export function bands(count: number, length: number, room: number) {
    const width = length / Math.max(count, 1);
    return { at: (index: number) => (index + 0.5) * width, width, every: Math.ceil(room / width) };
}
