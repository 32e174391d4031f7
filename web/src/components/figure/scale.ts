// Where values stand on an axis, and which of them are written beside it.
export interface Scale {
    at: (value: number) => number;
    // The way back.
    from: (at: number) => number;
    ticks: readonly number[];
}

// From `low` to `high`, widened to round numbers unless `exact`; about `count` ticks.
export function linear(low: number, high: number, length: number, count = 5, exact = false): Scale {
    if (!(high > low)) [low, high] = [low - (Math.abs(low) || 1), high + (Math.abs(high) || 1)];
    const rough = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
    const begin = Math.floor(low / step + 1e-9) * step;
    const end = Math.ceil(high / step - 1e-9) * step;
    const all: number[] = [];
    for (let n = 0; begin + n * step <= end + step / 2; n += 1)
        all.push(Number((begin + n * step).toPrecision(12)));
    const [first, last] = exact ? [low, high] : [begin, end];
    return {
        at: (value) => ((value - first) / (last - first)) * length,
        from: (at) => first + (at / length) * (last - first),
        ticks: exact ? all.filter((tick) => tick >= low && tick <= high) : all,
    };
}

// From `low` to `high`, which are above zero, widened to whole powers of ten or, where there are
// few, to round numbers between them.
export function logarithmic(low: number, high: number, length: number): Scale {
    const parts = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
    const down = (value: number) => {
        const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
        return (parts.findLast((one) => one * power <= value * 1.000001) ?? 1) * power;
    };
    const up = (value: number) => {
        const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
        return ([...parts, 10].find((one) => one * power >= value * 0.999999) ?? 10) * power;
    };
    const first = down(low);
    const last = up(high) > first ? up(high) : first * 10;
    const all: number[] = [];
    for (let power = 10 ** Math.floor(Math.log10(first) + 1e-9); power <= last; power *= 10)
        for (const part of parts) {
            const tick = Number((part * power).toPrecision(12));
            if (tick >= first * 0.999999 && tick <= last * 1.000001) all.push(tick);
        }
    const every = Math.ceil(all.length / 8);
    const width = Math.log(last / first);
    return {
        at: (value) => (Math.log(Math.max(value, first) / first) / width) * length,
        from: (at) => first * Math.exp((at / length) * width),
        ticks: all.filter((_, at) => at % every === 0),
    };
}

// Times are not widened: their round numbers are not ours.
export function times(low: number, high: number, length: number, count = 5): Scale {
    if (high === low) return { at: () => length / 2, from: () => low, ticks: [low] };
    const ticks = Array.from({ length: count }, (_, n) => low + ((high - low) * n) / (count - 1));
    return {
        at: (value) => ((value - low) / (high - low)) * length,
        from: (at) => low + (at / length) * (high - low),
        ticks,
    };
}

// The middles of equal parts. Not every name fits: each `every`th is written.
export function bands(count: number, length: number, room: number) {
    const width = length / Math.max(count, 1);
    return { at: (index: number) => (index + 0.5) * width, width, every: Math.ceil(room / width) };
}
