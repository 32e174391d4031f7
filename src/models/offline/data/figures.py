# Computes what was asked of a table, reports it on one line for the answer, and draws it if wanted.
# A measure is (its name, a column, how): how is 'size', 'sum', 'mean',
# 'nunique' … A chart is (kind, title, file). Each function returns the table that it reported.
DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
PERIODS = {'hour': 'h', 'day': 'D', 'week': 'W', 'month': 'M', 'quarter': 'Q', 'year': 'Y'}


def key_of(column, grain):
    """The month, the weekday ... of each date."""
    if grain in PERIODS:  # each period's text once, however many rows lie in it
        periods = column.dt.to_period(PERIODS[grain]).astype('category')
        first_day = lambda week: str(week.start_time.date())
        name = first_day if grain == 'week' else str
        return periods.cat.rename_categories(name).astype(object)
    if grain == 'weekday':
        return column.dt.day_name()
    if grain == 'part of the week':
        parts = {True: 'weekend', False: 'weekday'}
        return column.dt.day_of_week.ge(5).map(parts).where(column.notna())
    return (column.dt.hour if grain == 'hour of the day' else column.dt.month).astype('Int64')


def with_keys(rows, keys):
    """keys: {name: (column, grain)}"""
    return rows.assign(**{name: key_of(rows[c], grain) for name, (c, grain) in keys.items()})


def with_rate(rows, name, column, yes):
    """A column whose mean is the share of `yes` in percent."""
    is_yes = rows[column].eq(yes).where(rows[column].notna())
    return rows.assign(**{name: is_yes.astype(float) * 100})


def in_periods(rows, column, periods):
    """The rows of each period, one period below the other. periods: {name: (from, to)}"""
    parts = [rows[(rows[column] >= begin) & (rows[column] < end)].assign(period=name)
             for name, (begin, end) in periods.items()]
    return pd.concat(parts)


def figure_of(rows, measure):
    """Of all rows or, where they are grouped, of each group. No values add up to nothing known."""
    _, column, how = measure
    if how == 'size':
        return rows.size() if hasattr(rows, 'ngroups') else len(rows)
    values = rows[column]
    if how == 'sum':
        return values.sum(min_count=1)
    return getattr(values, how)()


def in_order(result, by, order=None, count=None):
    """The highest first, or the lowest; of these so many."""
    if order:
        result = result.sort_values(by, ascending=order == 'lowest')
    return result.head(count) if count else result


def grouped(rows, by, measures, sort=True):
    """A row a group; groups without a single value are left out, and their number is told."""
    groups = rows.groupby(by, sort=sort)
    result = pd.DataFrame({m[0]: figure_of(groups, m) for m in measures})
    values = list({column for _, column, how in measures if how not in ('size', 'nunique')})
    counts = any(how in ('size', 'nunique') for _, _, how in measures)
    empty = result.index[[]] if counts else result.index[groups[values].count().sum(axis=1) == 0]
    result = result.drop(empty).reset_index()
    for key in by:
        if len(result) and result[key].isin(DAYS).all():
            result = result.sort_values(key, key=lambda day: day.map(DAYS.index), kind='stable')
    return result, len(empty)


def told(rows, by, measure):
    """What is said beside the figures of groups."""
    figures = {'rows': len(rows), 'left_out': int(rows[by].isna().any(axis=1).sum())}
    if measure[2] in ('size', 'sum', 'mean', 'median'):
        figures['overall'] = figure_of(rows, measure)
    return figures


def reported(result, chart=None, **figures):
    result = result.reset_index(drop=True)
    report(result, **figures)
    if chart:
        draw(result, *chart)
    return result


def groups(rows, by, measures, chart=None, sort=True, **order):
    """Figures of each group."""
    result, empty = grouped(rows, by, measures, sort)
    number = len(result)
    result = in_order(result, measures[0][0], **order)
    return reported(result, chart and (*chart, by[0], measures[0][0]), groups=number, empty=empty,
                    **told(rows, by, measures[0]))


def across(rows, down, over, measure, columns=None, chart=None):
    """Two keys: one down, one across."""
    cells = rows.groupby([down, over])
    result, there = figure_of(cells, measure).unstack(), cells.size().unstack()
    if columns:
        result, there = result.reindex(columns=columns), there.reindex(columns=columns)
    if measure[2] in ('size', 'sum'):  # no rows add up to 0, but rows without a value do not
        result = result.where(there.notna(), 0)
    figures = told(rows, [down, over], measure)
    figures.pop('overall', None)
    result = reported(result.reset_index().rename_axis(columns=None), **figures)
    if chart:
        kind, title, file = chart
        figure, axes = start_chart(title)
        result.set_index(down).plot(kind=kind, ax=axes)
        axes.set_ylabel(measure[0])
        save_chart(figure, file)
    return result


def overall(rows, measures):
    result = pd.DataFrame({m[0]: [figure_of(rows, m)] for m in measures})
    return reported(result, rows=len(rows))


def extreme(rows, measure, columns):
    """The row that has the highest or the lowest figure."""
    _, column, how = measure
    first = rows.nlargest(1, column) if how == 'max' else rows.nsmallest(1, column)
    return reported(first[columns], value=figure_of(rows, measure), rows=len(rows))


def shares(rows, by, measure, chart=None, sort=True, **order):
    """What each group is of the whole, in percent."""
    result, empty = grouped(rows, by, [measure], sort)
    result['share (%)'] = 100 * result[measure[0]] / result[measure[0]].sum()
    result = in_order(result, measure[0], **order)
    return reported(result, chart and (*chart, by[0], 'share (%)'), empty=empty,
                    **told(rows, by, measure))


def divided(upper, lower, by, names, times=1, chart=None, **order):
    """One figure over another, for all rows or for each group; an operand is (rows, measure)."""
    sides = [figure_of(rows.groupby(by) if by else rows, m) for rows, m in (upper, lower)]
    if by:
        result = pd.DataFrame(dict(zip(names, sides)))
        is_part = names[0] == 'part'  # groups without a row in it
        result = (result.fillna(0) if is_part else result).reset_index()
    else:
        result = pd.DataFrame({name: [side] for name, side in zip(names, sides)})
    result[names[2]] = times * result[names[0]] / result[names[1]]
    if by:
        result = in_order(result, names[2], **order)
    return reported(result, chart and (*chart, by[0], names[2]), rows=len(lower[0]))


def growth(rows, by, measures, time, lag=1, chart=None, sort=True, **order):
    """Against the period before: each group against itself."""
    result, _ = grouped(rows, by, measures, sort)
    others = [key for key in by if key != time] if len(by) > 1 else []
    series = result.groupby(others)[measures[0][0]] if others else result[measures[0][0]]
    result['change'] = series.diff(lag)
    result['change (%)'] = 100 * series.pct_change(lag)
    if order:
        result = in_order(result.dropna(subset=['change']), 'change (%)', **order)
    return reported(result, chart and (*chart, by[0], 'change (%)'), rows=len(rows))


def shape_of(rows):
    return reported(pd.DataFrame({'rows': [len(rows)], 'columns': [len(rows.columns)]}))


def columns_of(rows):
    types = [str(t) for t in rows.dtypes]
    result = pd.DataFrame({'column': rows.columns, 'type': types, 'distinct': rows.nunique().values,
                           'missing': rows.isna().sum().values})
    return reported(result, columns=len(rows.columns), rows=len(rows))


def statistics_of(rows, columns=None):
    numbers = rows[columns] if columns else rows.select_dtypes('number')
    result = pd.DataFrame({'column': rows.columns})
    if len(numbers.columns):
        result = numbers.describe().T.round(4).reset_index(names='column')
    return reported(result, rows=len(rows), columns=len(rows.columns))


def show(rows, columns, by=None, order=None, count=10):
    """The first rows, or those with the highest figures."""
    chosen = in_order(rows, by, order) if by else rows
    return reported(chosen[columns].head(count), rows=len(rows))


def values_of(rows, column):
    counts = rows[column].value_counts().rename_axis(column).reset_index(name='rows')
    return reported(counts, distinct=len(counts))


def period_of(rows, columns):
    dates = rows[columns]
    return reported(pd.DataFrame({'column': dates.columns, 'first': dates.min().values,
                                  'last': dates.max().values}))


def missing_in(rows, columns=None, chart=None):
    cells = (rows[columns] if columns else rows).isna()
    result = pd.DataFrame({'column': cells.columns, 'missing': cells.sum().values,
                           'share (%)': 100 * cells.sum().values / max(len(rows), 1)})
    result = result[result['missing'] > 0].sort_values('missing', ascending=False)
    return reported(result, chart and (*chart, 'column', 'missing'), total=int(cells.values.sum()),
                    rows=len(rows), affected=int(cells.any(axis=1).sum()))


def duplicates_in(rows, ids):
    repeated = [int(rows[name].dropna().duplicated().sum()) for name in ids]
    return reported(pd.DataFrame({'column': ids, 'repeated': repeated}),
                    duplicates=int(rows.duplicated().sum()), rows=len(rows))


def correlation_of(rows, first, second, chart=None):
    pair = rows[[first, second]].dropna()
    result = pair.corr()
    report(result.reset_index(), r=result.iloc[0, 1], pairs=len(pair),
           spearman=pair.rank().corr().iloc[0, 1])
    if chart:
        figure, axes = start_chart(chart[1])
        axes.scatter(pair[first], pair[second], s=12, alpha=0.5)
        axes.set(xlabel=first, ylabel=second)
        save_chart(figure, chart[2])
    return result


def outliers_in(rows, column, columns, count=10, chart=None):
    """By the rule of 1.5 times the interquartile range."""
    values = rows[column]
    low, high = values.quantile([0.25, 0.75])
    fences = low - 1.5 * (high - low), high + 1.5 * (high - low)
    below, above = values < fences[0], values > fences[1]
    distance = (values - (low + high) / 2).abs().sort_values(ascending=False)
    outside = rows.loc[distance.index][(below | above).loc[distance.index]]
    if chart:
        figure, axes = start_chart(chart[1])
        axes.boxplot(values.dropna())
        axes.set_ylabel(column)
        save_chart(figure, chart[2])
    return reported(outside[columns].head(count), count=len(outside), above=int(above.sum()),
                    below=int(below.sum()), fence_low=fences[0], fence_high=fences[1],
                    rows=int(values.notna().sum()))


def distribution_of(rows, column, chart, by=None, counted='rows'):
    values = rows[column]
    figure, axes = start_chart(chart[1])
    axes.set(xlabel=by or column, ylabel=column if by else counted)
    if by:
        result = rows.groupby(by)[column].describe().reset_index()
        parts = {str(key): part.dropna() for key, part in rows.groupby(by)[column]}
        axes.boxplot(list(parts.values()), tick_labels=list(parts))
        axes.tick_params(axis='x', rotation=45)
    else:
        result = values.describe().rename_axis('statistic').reset_index(name=column)
        bins = 'auto' if values.nunique() <= 12 else 30
        axes.hist(values.dropna(), bins=bins, edgecolor='white')
    save_chart(figure, chart[2])
    return reported(result, rows=len(rows) if by else int(values.notna().sum()))


def draw(result, kind, title, file, key, value):
    """The picture of a result: a bar, a point or a slice for each of its rows."""
    figure, axes = start_chart(title)
    shown = result.head(400 if kind == 'line' else 20)
    labels = shown[key].astype(str)
    if kind == 'pie':
        axes.pie(shown[value].clip(lower=0), labels=labels, autopct='%1.1f%%')
    else:
        (axes.plot(labels, shown[value], marker='o') if kind == 'line'
         else axes.bar(labels, shown[value]))
        axes.set(xlabel=key, ylabel=value)
        axes.tick_params(axis='x', rotation=45)
        if len(shown) > 24:
            axes.set_xticks(range(0, len(shown), len(shown) // 24))
    save_chart(figure, file)
