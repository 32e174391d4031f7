#include "models/offline/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace atl::offline {
namespace {

struct Row {
    Word word;
    std::string_view phrases;  // separated by |
};

// clang-format off
constexpr std::array kWords = {
    Row{Word::Sum,
        "total|sum|overall|altogether|in total|combined|grand total|summed|add up|aggregate|"
        "cumulative|cumulated|cumulatively|cumulative total|cumulative sum|running total|"
        "running totals|running sum|accumulated|accumulating|累积|累加|"
        "总|总和|合计|总计|总共|一共|共计|总额|求和|累计|总数"},
    Row{Word::Mean,
        "average|mean|avg|averaged|averaging|averages|"
        "on average|typical|typically|平均|均值|平均值|平均数|场均|人均|日均|月均|周均|年均"},
    Row{Word::Median, "median|middle value|中位数|中位|中值"},
    Row{Word::Minimum, "minimum|min|最小值|最低值"},
    Row{Word::Maximum, "maximum|max|peak|最大值|最高值|峰值"},
    Row{Word::Deviation,
        "standard deviation|std|stdev|std dev|deviation|spread|variability|标准差|波动"},
    Row{Word::HowMany,
        "how many|number of|count|counts|counted|running count|running tally|amount of times|"
        "how often|how frequently|"
        "how many individual|number of individual|how many separate|number of separate|"
        "how busy|how crowded|有多忙|"
        "tally|how many times|天数|多少天|几天|人次|多少人次|多少张|多少本|多少辆|多少场|多少件|几场|几件|几本|几单|几张|几辆|几人|"
        "场次|场数|单量|单数|订单数量|数目|家数|"
        "frequency|headcount|head count|多少个|多少条|多少笔|多少次|多少人|多少名|多少位|多少家|多少单|多少种|多少类|多少|有多少|"
        "有多少个|有多少条|有多少笔|有多少次|有多少人|有多少名|有多少位|有多少家|有多少单|有多少件|"
        "有多少张|有多少本|有多少辆|有多少场|有多少种|有多少类|几个|几条|几种|几家|几笔|几名|几位|几次|个数|条数|笔数|次数|人数|"
        "计数|总人数|订单数|订单量|交易数|交易量|记录数|频率|频次"},
    Row{Word::HowMuch,
        "多少钱|多少元|几块钱|how much|how high|how large|how big|what is|what was|what's|多高|多大|多长|是多少|"
        "有多少|为多少"},
    Row{Word::Distinct,
        "how many individual|number of individual|how many separate|number of separate|"
        "distinct|unique|different|有多少种|有多少类|不同的|不重复|去重|唯一|多少种|几种|多少类|几类|种类数|"
        "不要重复算|不重复算|不要重复计算|不重复计算|不要重复|重复的只算一次|重复的算一次"},
    Row{Word::Rate, "rate|rates|率"},
    Row{Word::Running,
        "cumulative|cumulated|cumulatively|cumulative total|cumulative sum|running total|"
        "running totals|running sum|running count|running tally|accumulated|accumulating|"
        "累计|累积|累加"},
    Row{Word::Rolling,
        "moving average|moving averages|moving mean|rolling average|rolling averages|rolling mean|"
        "trailing average|移动平均|移动平均值|移动平均线|滚动平均|滚动平均值|移动均值"},
    Row{Word::Moving,
        "moving sum|moving total|rolling sum|rolling total|running average|running mean|"
        "cumulative average|weighted average|weighted mean|weighted moving average|"
        "exponential moving average|加权平均|加权移动平均|指数移动平均|weighted"},

    Row{Word::Highest,
        "highest|largest|biggest|greatest|most|best|strongest|top performing|leading|maximal|"
        "slowest|longest|heaviest|hottest|warmest|peaked|peak|winner|hottest|fastest growing|"
        "tallest|wettest|rainiest|windiest|richest|farthest|furthest|"
        "最热销|最远|最重|最高的|"
        "tallest|最高|最大|最多|最好|最佳|最强|最长|最热|第一|冠军|高峰"},
    Row{Word::Lowest,
        "fastest|quickest|ascending|lowest first|smallest first|low to high|升序|从低到高|从小到大|由低到高|"
        "driest|slimmest|"
        "lowest|smallest|least|fewest|worst|weakest|poorest|minimal|shortest|lightest|"
        "coldest|coolest|slowest day|最低|最小|最少|最差|最弱|最短|最冷|最后一名|垫底"},
    Row{Word::Top, "top|leading|best selling|前|排名前|头"},
    Row{Word::Bottom, "bottom|last place|倒数|后几名|末尾|最后几名"},
    Row{Word::Common,
        "最热门|热门|最火|最爱|"
        "busiest|最忙|最繁忙|most active|most common|commonest|most frequent|most frequently|"
        "most popular|most used|most often|occurs most|appears most|最常见|最常用|最受欢迎|最流行|出现最多|"
        "最普遍|最频繁"},
    Row{Word::Rare,
        "quietest|least busy|least active|least common|rarest|least frequent|least popular|"
        "least used|least often|最少见|最罕见|最不常见"},
    Row{Word::Rank,
        "rank|ranking|ranked|sort|sorted|order by|ordered by|descending|"
        "from highest to lowest|highest first|largest first|biggest first|best first|"
        "from high to low|high to low|league table|ascending|lowest first|smallest first|"
        "low to high|升序|从低到高|从大到小|从小到大|由高到低|由低到高|"
        "排名|排序|排行|排行榜|从高到低|降序"},
    Row{Word::Expensive, "most expensive|priciest|dearest|costliest|expensive|最贵|昂贵"},
    Row{Word::Cheap, "cheapest|least expensive|cheap|最便宜|便宜"},
    Row{Word::Oldest, "oldest|年龄最大|最年长"},
    Row{Word::Youngest, "youngest|年龄最小|最年轻"},
    Row{Word::Newest, "newest|latest|most recent|最新|最近的|最晚"},
    Row{Word::Earliest, "earliest|first ever|最早"},

    Row{Word::Share,
        "share|percentage|percent|proportion|fraction|contribution|contribute|contributes|"
        "contributed|portion|percentages|account for|accounts for|make up|makes up|"
        "how is split|split|what part|how much of|in percent|as a percentage|as percent|in %|百分率|"
        "占了|占到|占多少|多大比例|"
        "breakdown in percent|%|占比|比例|百分比|份额|比重|占|百分之几|百分之多少|构成|占总"},
    Row{Word::Trend,
        "trend|trending|over time|develop|developed|development|evolve|evolved|evolution|"
        "progress|progression|time series|timeline|through time|over the months|"
        "over the years|over the days|changed over|change over|changing over|history of|"
        "how has|seasonality|走势|趋势|变化|变动|随时间|发展|时间序列"},
    Row{Word::Growth,
        "growth|grow|grew|grown|growing|increase|increased|increasing|rise|rose|risen|gain|"
        "month on month|year on year|quarter on quarter|week on week|month to month change|"
        "month over month|mom|year over year|yoy|quarter over quarter|qoq|week over week|"
        "change|changed|changes|percent change|percentage change|change from|changed from|"
        "vs previous|"
        "versus previous|versus the previous|compared to previous|compared with previous|"
        "compared to the previous|compared with the previous|compared to last|"
        "than the previous|增长|增长率|增幅|环比|同比|增速|涨幅|增加|上升|"
        "多了百分之几|多了百分之多少|高了百分之几|高了百分之多少|多出百分之几|多百分之几"},
    Row{Word::Drop,
        "drop|dropped|decline|declined|decrease|decreased|fall|fell|fallen|shrink|shrank|"
        "loss in|下降|下滑|减少|跌|降幅"},
    Row{Word::Compare,
        "compare|compared|comparing|comparison|gap between|gap in|"
        "difference|differ|differs|versus|vs|against|"
        "对比|比较|相比|差异|差别|区别|差多少|差距|谁更|哪个更|更多|更高|更少|更低|更大|更好|哪个多|得多|用得多|谁多"},
    Row{Word::Versus, "versus|vs|against|compared to|compared with|or|与|和|跟|还是"},
    Row{Word::Correlation,
        "correlation|correlation matrix|correlation table|correlation heatmap|"
        "correlate|correlated|correlates|correlations|relationship|relation|"
        "related|relate|association|associated|depend on|depends on|influence|influences|"
        "go along with|goes along with|go together|goes together|go hand in hand|hand in hand|"
        "tied to|"
        "driven by|impact|impacts|impact on|effect on|effect of|effect|dependence|connected|挂钩|联系|"
        "affect|affects|linked|link between|connection between|coefficient|相关|相关性|关系|关联|相关系数|"
        "影响|有关"},
    Row{Word::Outlier,
        "outlier|outliers|anomaly|anomalies|anomalous|unusual|unusually|extreme|abnormal|"
        "looks off|look off|stands out|stand out|out of line|suspicious|strange|odd values|weird|"
        "implausible|离谱|可疑|不正常|离群|异常|异常值|极端|离群值|极值"},
    Row{Word::Distribution,
        "distribution|distributed|histogram|spread of|quartile|quartiles|percentile|"
        "percentiles|分布|直方图|分位数|四分位"},
    Row{Word::Missing,
        "did not answer|didn't answer|not answered|unanswered|no answer|skipped|"
        "not stated|not known|not provided|not specified|left blank|left empty|未提供|"
        "not filled in|unknown|not available|not recorded|not given|lacking|lack|lacks|"
        "unspecified|no data|未知|缺少|没有数据|"
        "not filled in|没有回答|未回答|未填|没填|missing|null|nulls|nan|nans|empty|blank|blanks|"
        "incomplete|not filled|unfilled|na values|gaps|data quality|completeness|complete|缺失|"
        "缺失值|空值|是空的|空的|空着|缺值|为空|空缺|没有填|不完整|数据质量"},
    Row{Word::Duplicate,
        "duplicate|duplicates|duplicated|repeated rows|twice|identical rows|重复|重复行|重复值|重名|同名|"
        "重复录入|重复登记|重复记录|重复上传|重复提交"},
    Row{Word::Describe,
        "总结|总结一下|小结|归纳|describe|summary|summarise|summarize|overview|statistics|stats|"
        "summary statistics|key figures|descriptive|profile|tell me about|what is in|"
        "whats in|what's in|about this data|about the data|explore|概况|概述|描述|统计信息|总览|概览|摘要|介绍|"
        "汇总统计|看看数据|描述性统计|基本情况|基本统计"},
    Row{Word::Columns,
        "column|columns|field|fields|variable|variables|attributes|headers|schema|列|列名|字段|变量|"
        "表头|有哪些列"},
    Row{Word::Rows,
        "row|rows|record|records|entries|entry|lines|observations|data points|datapoints|"
        "cases|entries|dataset size|size of the dataset|size of the data|shape|行|行数|记录|条记录|"
        "条数据|数据量|多少数据|样本"},
    Row{Word::Preview,
        "first rows|first few|head|preview|sample rows|sample of|example rows|top rows|"
        "sample|look like|前几行|预览|样例|示例数据|前几条"},
    Row{Word::Show,
        "show|show me|list|display|give me|give|print|find|see|which are|显示|列出|给我|查看|展示|找出|"
        "看一下|看看|输出"},
    Row{Word::Exist,
        "are there|is there|there are|exist|exists|available|appear|appears|occur|do we have|"
        "contained|哪几种|哪几类|有哪几|有哪几种|有哪些|哪些|都有什么|有什么|包含|包括哪些|存在"},
    Row{Word::Period,
        "time range|date range|time period|time span|timespan|what period|which period|"
        "period cover|period covered|cover|covers|covered|how long a period|"
        "from when to when|start and end|what dates|which dates|时间范围|日期范围|时间跨度|时间段|起止|"
        "什么时候到什么时候|哪段时间|时间区间"},
    Row{Word::Help,
        "help|what can you do|what can i ask|what questions|how do you work|who are you|"
        "capabilities|帮助|你能做什么|能做什么|怎么用|你是谁|你会什么|可以问什么"},
    Row{Word::Greeting, "hello|hi|hey|good morning|good afternoon|good evening|你好|您好|嗨|早上好"},
    Row{Word::Thanks, "thanks|thank you|thx|great thanks|cheers|谢谢|多谢|感谢"},

    Row{Word::Forecast,
        "forecast|forecasts|forecasting|predict|predicts|prediction|predicted|predictions|will|"
        "going to be|going to|next year|next month|next week|next quarter|next season|next day|"
        "tomorrow|"
        "in the future|future|upcoming|coming year|coming month|extrapolate|预测|预计|预估|未来|明年|明天|后天|"
        "下个月|下月|下周|下星期|下季度|下一季度|下个季度|下一年|会怎样|会怎么样|会如何|会不会|会是多少|会有多少|会增长|会上升|"
        "会下降|将会|将达到|将是|将有"},
    Row{Word::Why,
        "why|reason for|reasons for|the reason|what caused|what causes|what is causing|"
        "what explains|"
        "what drives|what drove|what led to|how come|cause of|causes of|explain why|explanation|"
        "because of what|为什么|为何|为啥|原因|怎么会|什么导致|什么造成|怎么回事"},
    Row{Word::Advice,
        "how can we|how can i|how could we|how do we|how should|should we|should i|what should|"
        "how to|"
        "advice|advise|suggest|suggestion|suggestions|recommendations|what can we do|what can i do|"
        "怎样才能|怎么才能|如何才能|如何提高|如何提升|如何减少|如何降低|如何改善|如何增加|如何优化|怎样提高|怎样减少|怎么提高|"
        "怎么减少|怎么办|建议|应该|应当|该怎么|该如何"},
    Row{Word::Ratio, "ratio|ratios|divided by|relative to|quotient|比值|之比|除以"},
    Row{Word::Percentile, "percentile|percentiles|quantile|quantiles|分位数|百分位|百分位数|分位"},
    Row{Word::With,
        "with|with a|with an|with some|with any|having|that have|that has|which have|who have|"
        "who has|"
        "got a|got an|received a|received an|have|has|had|have a|has a|had a|have an|has an|带|带有"},
    Row{Word::By,
        "by|grouped by|broken down by|break down by|split by|group by|breakdown by|"
        "in terms of|according to|depending on|across|over each|among|amongst|"
        "between the different|within each|breakdown|broken down|wise|segment by|"
        "segmented by|按|按照|依|根据|分|以|分组|各自"},
    Row{Word::Each,
        "each|every|per|for all|for every|for each|respective|individual|各|每|每个|各个|每一个|不同|各类|"
        "各种|分别|每位|每名|每种|每类|每家|所有"},
    Row{Word::Which, "which|what|哪个|哪一个|哪|哪些|哪家|哪种|哪位|哪类|什么|哪几个|哪一|哪款|哪名|哪天|哪一天|哪几种|哪几类|哪几|几种"},
    Row{Word::What, "what|什么"},
    Row{Word::Who, "who|who has the|whom|whose|谁"},
    Row{Word::When, "when|at what time|什么时候|何时"},
    Row{Word::Of, "of|的"},
    Row{Word::Per, "per|每"},

    Row{Word::More,
        "over|above|more than|greater than|larger than|bigger than|higher than|exceed|"
        "exceeds|exceeding|exceeded|upwards of|older than|longer than|slower than|"
        "hotter than|warmer than|heavier than|taller than|beyond|>|不止|超过|大于|高于|多于|超出|高过|大过|长于"},
    Row{Word::AtLeast,
        "at least|not less than|no less than|minimum of|>=|≥|from at least|不少于|不低于|至少|不小于|"
        "大于等于|起码"},
    Row{Word::Less,
        "under|below|less than|smaller than|lower than|fewer than|cheaper than|younger than|"
        "shorter than|faster than|colder than|cooler than|lighter than|<|低于|小于|少于|不到|不足|短于"},
    Row{Word::AtMost,
        "at most|not more than|no more than|up to|maximum of|<=|≤|不超过|不高于|至多|最多为|不大于|小于等于|不多于"},
    Row{Word::OrMore,
        "or more|or above|or higher|and above|or over|and over|or older|plus|以上|及以上|之上|或以上"},
    Row{Word::OrLess, "or less|or below|or lower|and below|or under|or fewer|以下|及以下|之下|以内|或以下"},
    Row{Word::Between, "between|ranging from|in the range|介于|在"},
    Row{Word::And, "and|&|plus|as well as|和|与|及|以及|、|跟"},
    Row{Word::To, "to|until|till|through|-|and|到|至|和|与"},
    Row{Word::Or, "or|或|或者"},
    Row{Word::Exclude,
        "out of|run out of|sold out of|不|no|with no|have no|has no|had no|without any|without a|"
        "never|missed the|missed its|missed their|breached|breached the|缺|不带|无|"
        "excluding|exclude|except|except for|without|other than|not including|apart from|"
        "ignoring|ignore|leaving out|leave out|not|non|isn't|aren't|not in|minus|but not|"
        "don't count|disregarding|除了|不包括|不含|去掉|排除|除去|剔除|不算|不计|除|之外|不是|非|没有"},
    Row{Word::Only,
        "only|just|restrict|restricted to|limit to|limited to|filter|filtered|filter to|只|仅|"
        "只看|只算|仅看|只要|限于|只统计"},
    Row{Word::Is, "is|are|was|were|equals|equal to|equal|=|==|being|为|是|等于"},
    Row{Word::In, "in|for|from|at|within|during|of|on|with|among|where|在|于|对于|对|里|中|内"},
    Row{Word::From, "from|between|starting|从|自"},
    Row{Word::Since,
        "since|starting from|starting in|from|beginning|as of|onwards|以来|开始|起|之后|自从|以后"},
    Row{Word::Until, "until|till|up to|through|by the end of|to|为止|截至|截止|到"},
    Row{Word::After, "after|later than|之后|以后|晚于"},
    Row{Word::Before, "before|earlier than|prior to|之前|以前|早于"},
    Row{Word::Negative,
        "negative|refund|refunds|refunded|below zero|minus values|负数|负值|退款|退货|为负"},
    Row{Word::Positive, "positive|above zero|正数|正值"},
    Row{Word::Zero, "zero|zeros|零"},
    Row{Word::Last,
        "last|past|previous|most recent|latest|final|recent|上|上个|上一|最近|最后|最近的|过去|近|最新|上一个|"
        "最后一个"},
    Row{Word::First, "first|opening|initial|最初|第一|最早|首"},
    Row{Word::This, "this|current|今|本|这"},
    Row{Word::Half, "half|半年"},
    Row{Word::Recent, "recent|recently|lately|最近|近期"},
    Row{Word::Previous, "previous|prior|preceding|last|before|上一|上个|上期|前一"},

    Row{Word::Chart,
        "chart|plot|graph|draw|visualise|visualize|visualisation|visualization|diagram|"
        "charts|plotted|图|图表|画|绘制|绘图|可视化|作图|画图|图形"},
    Row{Word::Bar, "bar|bars|bar chart|column chart|bar graph|bar plot|barplot|柱状图|条形图|柱形图|柱图"},
    Row{Word::Line, "line|line chart|line graph|line plot|curve|折线图|线图|曲线|曲线图|折线"},
    Row{Word::Pie, "pie|pie chart|donut|doughnut|饼图|饼状图|圆饼图|扇形图|环形图"},
    Row{Word::Histogram, "histogram|hist|直方图"},
    Row{Word::Scatter, "scatter|scatter plot|scatterplot|scatter chart|散点图|散点"},
    Row{Word::Box, "box plot|boxplot|box|box and whisker|box chart|箱线图|箱型图|箱图|盒图"},

    Row{Word::Hour, "hour|hours|hour of the day|hour of day|time of day|小时|时段|钟头|几点|哪个时间"},
    Row{Word::Day, "day|days|date|dates|calendar day|天|日|日期"},
    Row{Word::Week, "week|weeks|calendar week|周|星期|礼拜"},
    Row{Word::Month, "month|months|月|月份|个月|月度"},
    Row{Word::Quarter, "quarter|quarters|季度|季"},
    Row{Word::Year, "year|years|annum|年|年份|年度"},
    Row{Word::Hourly,
        "hourly|by hour|per hour|each hour|every hour|hour of the day|hour of day|"
        "by the hour|按小时|每小时|各小时|分时段|每个小时|按时段"},
    Row{Word::Daily,
        "daily|by day|per day|each day|every day|day by day|day to day|from day to day|by date|"
        "per date|按天|每天|每日|按日|逐日|"
        "日均|各天|按日期|每一天|哪天|哪一天"},
    Row{Word::Weekly,
        "weekly|by week|per week|each week|every week|week by week|week to week|from week to week|"
        "按周|每周|逐周|周度|各周|周均"},
    Row{Word::Monthly,
        "monthly|by month|per month|each month|every month|month by month|by months|"
        "month to month|from month to month|month over month|month on month|mom|按月|每月|每个月|逐月|月度|"
        "各月|月均|按月份|各月份|分月|每个月份"},
    Row{Word::Quarterly,
        "quarterly|by quarter|per quarter|each quarter|every quarter|quarter by quarter|"
        "quarter to quarter|from quarter to quarter|"
        "quarter over quarter|quarter on quarter|qoq|按季度|每季度|各季度|每个季度|季度|按季|分季度"},
    Row{Word::Yearly,
        "yearly|annual|annually|by year|per year|each year|every year|year by year|per annum|"
        "year to year|from year to year|year over year|year on year|yoy|按年|每年|各年|年度|逐年|按年份|年均|每一年|"
        "分年"},
    Row{Word::Weekday,
        "weekday|weekdays|day of the week|day of week|days of the week|which weekday|"
        "per day of the week|by day of the week|per day of week|by day of week|"
        "each day of the week|every day of the week|"
        "per weekday|by weekday|dow|星期几|周几|礼拜几|每周几|工作日分布|一周中|一周里"},
    Row{Word::Weekend, "weekend|weekends|周末|双休日"},
    Row{Word::Workday,
        "weekday|weekdays|working day|working days|workday|workdays|business day|"
        "business days|工作日|平日|周中"},
    Row{Word::MonthOfYear,
        "month of the year|month of year|calendar month|by month of the year|by month of year|"
        "per month of the year|by calendar month|each month of the year|seasonal|"
        "seasonality|一年中的哪个月|季节性"},

    Row{Word::FollowUp,
        "what about|how about|and what about|now|and now|then|same|the same|same for|instead|"
        "again|as well|too|that|it|them|this|these|those|do that|那|那么|呢|再|换成|改成|改为|同样|这个|它|"
        "这些|上面|刚才|也|变成|画成|做成|继续|还有"},
    Row{Word::Also, "also|additionally|further|in addition|as well|too|同时|另外|并|还要|并且|进一步"},
    Row{Word::Noise,
        "will you|would you|could you|can you|i would like|i'd like|i want|we want|want|pls|plz|"
        "kindly|"
        "please|the|a|an|me|my|our|we|us|i|you|your|can|could|would|tell|do|does|did|has|"
        "have|had|be|been|will|there|their|its|so|ok|okay|data|dataset|data set|table|file|"
        "csv|spreadsheet|info|information|values|value|all|any|some|just|really|exactly|"
        "calculate|compute|determine|work out|want to know|like to know|need|let|know|come|"
        "comes|came|get|got|make|makes|made|happen|happened|look|generate|create|using|use|"
        "used|if|whether|whole|entire|full|when|where|who|s|t|re|请|帮我|帮忙|我|我们|想|知道|一下|吗|呀|啊|"
        "吧|了|的|得|地|请问|能|可以|告诉|计算|算|求|数据|表|表格|文件|个|是|有|这|给|出|来|情况|结果|并|用|做|把|成|张|一|要|它们|其中|里面|"
        "当中|以及|之间|名|位|款|家|笔|条|种|项|类|人|份|多少|就行|就行了|即可|就好|就可以|"
        "就可以了|就够了"},
};

struct ConceptRow {
    std::string_view name;
    Nature nature;
    std::string_view phrases;
};

// What columns are about. The first name that a column's words hold decides; a phrase of the same
// row in a question then means that column.
constexpr std::array kConcepts = {
    ConceptRow{"amount", Nature::Additive,
        "amount|sales|sale|revenue|revenues|turnover|mrr|arr|recurring revenue|"
        "value|gmv|spend|spending|spent|"
        "expenditure|expense|expenses|transaction value|order value|income|earnings|payment|"
        "proceeds|money|sell|sells|sold|selling|total price|line total|subtotal|takings|"
        "bring in|brought in|make money|cash|paid|pay|amt|gross|net sales|receipts|"
        "earn|earns|earned|ticket size|basket|basket size|order size|deal size|worth|客单价|"
        "purchase amount|bill|charge|charges|fare|fares|销售额|金额|营收|营业额|收入|销售金额|成交额|交易额|交易金额|消费|消费额|"
        "支出|花费|"
        "销售收入|业绩|销售|总价|钱|实付|付款金额|订单金额|合同额|合同金额|contract value|contract amount|卖|流水|营业收入|总金额|消费金额"},
    ConceptRow{"quantity", Nature::Additive,
        "杯|杯数|台数|瓶数|份数|"
        "quantity|qty|units|unit|units sold|volume|pieces|items sold|number of items|"
        "item count|copies|件|数量|销量|件数|销售数量|销售量|卖出数量|个数"},
    ConceptRow{"profit", Nature::Additive,
        "profit|margin|gain|earnings|net income|利润|毛利|盈利|净利|净利润|利润额"},
    ConceptRow{"cost", Nature::Additive, "cost|costs|expense|expenses|spend|fee|fees|charge|"
        "charges|fare|fares|bill|"
        "food cost|ingredient cost|食材成本|成本|费用|开支|花费|收费"},
    ConceptRow{"price", Nature::Level,
        "price|unit price|pricing|list price|expensive|cheap|price tag|asking price|价格|单价|售价|定价|"
        "均价|标价|报价|要价|挂牌价|成交价"},
    ConceptRow{"discount", Nature::Level, "discount|rebate|reduction|折扣|优惠|打折"},
    ConceptRow{"tax", Nature::Additive, "tax|vat|税|税额|税费"},
    ConceptRow{"salary", Nature::Level,
        "salary|wage|wages|pay|compensation|remuneration|earn|earns|earning|earned|paid|"
        "payroll|wage bill|salaries|earner|earners|"
        "income|annual salary|monthly salary|package|工资|薪资|薪水|月薪|年薪|薪酬|收入|薪金|待遇|薪"},
    ConceptRow{"bonus", Nature::Additive, "bonus|bonuses|奖金|分红"},
    ConceptRow{"age", Nature::Level,
        "age|ages|old|older|younger|oldest|youngest|years old|aged|age group|age groups|age band|"
        "age bands|age bracket|age brackets|年龄段|年龄组|年龄|岁数|岁|年纪|车龄|房龄|树龄|机龄"},
    ConceptRow{"birth", Nature::Level, "birth|born|birth year|year of birth|出生|出生年份"},
    ConceptRow{"tenure", Nature::Level,
        "tenure|years of service|years at company|seniority|experience|service years|"
        "years of experience|工龄|司龄|工作年限|年限|经验|服务年限"},
    ConceptRow{"rating", Nature::Level,
        "rating|ratings|stars|review score|rated|review|评分|评级|星级|评价"},
    ConceptRow{"score", Nature::Level,
        "score|scores|points|grade|mark|marks|performance|performance score|分数|得分|成绩|绩效|考核|评分|打分"},
    // of a game: "points" of a test are a score, and a mean
    ConceptRow{"points", Nature::Additive, "pts|points|points scored|score|scores|得分|分数"},
    ConceptRow{"rebounds", Nature::Additive, "rebounds|rebound|reb|rebs|trb|篮板|篮板球|篮板数"},
    ConceptRow{"assists", Nature::Additive, "assists|assist|ast|助攻|助攻数"},
    ConceptRow{"steals", Nature::Additive, "steals|steal|stl|抢断|抢断数"},
    ConceptRow{"blocks", Nature::Additive, "blocks|blk|盖帽|盖帽数"},
    ConceptRow{"turnovers", Nature::Additive, "turnovers|tov|失误|失误数"},
    ConceptRow{"fouls", Nature::Additive, "fouls|foul|犯规|犯规数"},
    ConceptRow{"satisfaction", Nature::Level,
        "satisfaction|satisfied|happiness|happy|csat|nps|content|满意度|满意"},
    ConceptRow{"temperature", Nature::Level,
        "temperature|temp|degrees|celsius|hot|warm|cold|hotter|warmer|heat|hottest|coldest|"
        "warmest|温度|气温|热|冷"},
    ConceptRow{"humidity", Nature::Level, "humidity|humid|moisture|relative humidity|湿度"},
    ConceptRow{"pressure", Nature::Level, "pressure|气压|压力"},
    ConceptRow{"energy", Nature::Additive,
        "consume|consumes|consumed|electric|usage|energy usage|power used|electricity use|power|"
        "用电|energy|consumption|electricity|kwh|energy use|power consumption|用电量|能耗|电量|耗电|耗电量"},
    ConceptRow{"power", Nature::Level, "power|watt|watts|功率"},
    ConceptRow{"voltage", Nature::Level, "voltage|volt|battery|电压|电池"},
    ConceptRow{"vibration", Nature::Level, "vibration|振动|震动"},
    ConceptRow{"co2", Nature::Level, "co2|carbon dioxide|pm2.5|pm25|air quality|二氧化碳|空气质量"},
    ConceptRow{"speed", Nature::Level, "speed|velocity|速度|风速"},
    ConceptRow{"latency", Nature::Level,
        "resolution time|resolution hours|resolution|handling time|"
        "latency|response time|duration|elapsed|time taken|load time|ms|slow|slowest|fast|"
        "fastest|slower|delay|runtime|length|preparation time|prep time|how long|took|响应时间|耗时|时长|"
        "延迟|用时|响应时长|延时"},
    ConceptRow{"bytes", Nature::Additive,
        "bytes|size|traffic|bandwidth|transferred|data volume|流量|字节|大小"},
    ConceptRow{"visits", Nature::Additive,
        "visits|views|page views|pageviews|clicks|impressions|hits|sessions|访问量|浏览量|点击量|点击|"
        "曝光|访问"},
    ConceptRow{"hours", Nature::Level,
        "hours|working hours|hours worked|overtime|worked|加班|工时|小时数|工作时间"},
    ConceptRow{"distance", Nature::Additive, "distance|mileage|km|miles|kilometre|kilometres|"
        "kilometer|kilometers|距离|里程"},
    ConceptRow{"weight", Nature::Level, "weight|heavy|kg|kilogram|kilograms|kilo|kilos|重量|体重"},
    ConceptRow{"height", Nature::Level, "height|tall|身高|高度"},
    ConceptRow{"area", Nature::Level,
        "area|size|square meters|square metres|square feet|sqm|sqft|surface|floor area|"
        "living area|面积|平方米|建筑面积"},
    ConceptRow{"delay", Nature::Level,
        "delay|delays|delayed|late|lateness|wait|waiting|waiting time|wait time|延误|晚点|等待时间|等待|"
        "候诊时间|候诊|等候时间|等候|排队时间|排队"},
    ConceptRow{"passengers", Nature::Additive,
        "passengers|travelers|travellers|riders|ridership|乘客|旅客|客流|客流量"},
    ConceptRow{"budget", Nature::Additive, "budget|budgets|funding|investment|预算|投资"},
    ConceptRow{"gross", Nature::Additive, "box office|gross|grossed|grossing|票房"},
    ConceptRow{"rain", Nature::Additive,
        "rain|rainfall|precipitation|snow|snowfall|wet|wettest|降雨|降雨量|降水|降水量|雨量"},
    ConceptRow{"goals", Nature::Additive, "goals|goal|assists|runs|scored|进球|助攻|胜场"},
    ConceptRow{"cases", Nature::Additive,
        "cases|deaths|infections|confirmed|recoveries|tests|病例|确诊|死亡"},
    ConceptRow{"downloads", Nature::Additive,
        "downloads|installs|streams|plays|likes|shares|comments|followers|subscribers|votes|"
        "signups|下载量|播放量|点赞|粉丝|评论数|阅读量"},
    ConceptRow{"production", Nature::Additive,
        "production|output|produced|produce|produces|harvest|harvested|产量|产出|产值|收成"},
    ConceptRow{"trading", Nature::Additive, "trading volume|shares traded|成交量|交易量"},
    ConceptRow{"close", Nature::Level,
        "close|closing price|closing|closed at|stock price|share price|adj close|收盘价|股价"},
    ConceptRow{"open", Nature::Level, "open|opening price|opening|开盘价"},
    ConceptRow{"wind", Nature::Level, "wind|wind speed|windiest|windy|风力"},
    ConceptRow{"calories", Nature::Additive, "calories|kcal|卡路里|热量"},
    ConceptRow{"interest", Nature::Level, "interest|interest rate|int rate|apr|利率|利息|年利率"},
    ConceptRow{"balance", Nature::Additive,
        "balance|loan amount|loan|debt|deposit|savings|余额|贷款|贷款额|存款"},
    ConceptRow{"bmi", Nature::Level,
        "bmi|blood pressure|cholesterol|glucose|heart rate|血压|血糖|心率"},
    ConceptRow{"stock", Nature::Additive, "stock|inventory|in stock|库存|存货"},
    ConceptRow{"population", Nature::Additive, "population|inhabitants|residents|人口"},

    ConceptRow{"attendance", Nature::Level,
        "attendance|crowd|crowds|spectators|audience|fans|attendees|turnout|观众|观众数|上座|到场|出席|"
        "出勤|出勤率|到课率"},
    ConceptRow{"absence", Nature::Additive,
        "absence|absences|absent|days absent|missed days|sick days|sick leave|缺勤|缺课|缺席|病假|请假"},
    ConceptRow{"nights", Nature::Additive,
        "night|nights|length of stay|stay length|stay|days stayed|住院天数|晚数|夜|间夜|入住天数|入住晚数"},
    ConceptRow{"guests", Nature::Additive,
        "party size|diners|guest|guests|adults|children|occupants|covers|客人|住客|入住人数|用餐人数|"
        "就餐人数|客人数|来客数"},
    ConceptRow{"seats", Nature::Additive, "seats|seat|licenses|licences|席位|座位|座位数"},
    ConceptRow{"logins", Nature::Additive, "logins|login|log ins|登录|登录次数"},
    ConceptRow{"footfall", Nature::Additive, "visitors|visitor count|footfall|参观人数|游客量|到访人数"},
    ConceptRow{"donation", Nature::Additive, "donation|donations|donated|gift amount|捐款|捐赠|捐款金额"},
    ConceptRow{"defects", Nature::Additive, "defects|defect|defective|scrap|不良品|次品|缺陷|废品"},
    ConceptRow{"scrap", Nature::Additive,
        "scrap|scrapped|scrap quantity|报废|报废数|报废量|报废数量|废品|废品数"},
    ConceptRow{"complaints", Nature::Additive,
        "complaints|complaint|complains|投诉|投诉次数|投诉数|投诉量"},
    ConceptRow{"downtime", Nature::Additive, "downtime|idle time|停机|停机时间|停机时长"},
    ConceptRow{"tuition", Nature::Additive, "tuition|tuition fee|学费"},
    ConceptRow{"progress", Nature::Level, "progress|进度|完成度"},
    ConceptRow{"teamsize", Nature::Level, "team size|team members|size of the team|团队人数|团队规模"},
    ConceptRow{"transit", Nature::Level,
        "delivery days|delivery time|days to deliver|shipping days|shipping time|transit time|"
        "transit days|wait|waits|waited|waiting|配送时长|配送天数|"
        "送达天数"},
    ConceptRow{"refund", Nature::Additive,
        "pay back|paid back|give back|gave back|reimburse|reimbursed|"
        "refund|refunds|refunded|reimbursement|chargeback|money back|退款|退款额|退款金额"},
    ConceptRow{"shipping", Nature::Additive,
        "shipping|shipping cost|freight|postage|delivery fee|运费|配送费|邮费|快递费"},
    ConceptRow{"fine", Nature::Additive, "fine|fines|penalty|penalties|罚款|罚金|滞纳金"},
    ConceptRow{"overdue", Nature::Level, "overdue|days overdue|late days|days late|逾期|逾期天数|超期"},
    ConceptRow{"days", Nature::Level,
        "days|day count|days to close|time to close|close time|closing time|time to resolve|"
        "days open|"
        "lead time|turnaround|天数|借阅天数|处理天数"},
    ConceptRow{"minutes", Nature::Level, "minutes|minute|mins|分钟|分钟数"},
    ConceptRow{"comments", Nature::Additive, "comments|comment|replies|responses|评论|回复|评论数"},
    ConceptRow{"reactions", Nature::Additive, "reactions|reaction|upvotes|likes|点赞|点赞数"},
    ConceptRow{"cards", Nature::Additive, "yellow cards|red cards|cards|bookings|黄牌|红牌"},
    ConceptRow{"calls", Nature::Additive, "calls|calls made|phone calls|通话|通话次数|电话次数"},
    ConceptRow{"training", Nature::Additive, "training|training days|training hours|培训|培训天数|培训时长"},
    ConceptRow{"probability", Nature::Level,
        "probability|likelihood|chance|odds|概率|可能性|胜率"},
    ConceptRow{"yield", Nature::Level, "yield|yields|harvest per hectare|单产|亩产|每公顷产量"},
    ConceptRow{"pm25", Nature::Level, "pm2.5|pm25|fine dust|细颗粒物"},
    ConceptRow{"pm10", Nature::Level, "pm10|coarse dust|可吸入颗粒物"},
    ConceptRow{"ozone", Nature::Level, "ozone|o3|臭氧|臭氧浓度"},
    ConceptRow{"no2", Nature::Level, "no2|nitrogen dioxide|二氧化氮"},
    ConceptRow{"so2", Nature::Level, "so2|sulphur dioxide|sulfur dioxide|二氧化硫"},
    ConceptRow{"aqi", Nature::Level, "aqi|air quality index|空气质量指数"},
    ConceptRow{"noise", Nature::Level, "noise|noise level|decibel|db|噪音|噪声"},
    ConceptRow{"math", Nature::Level, "math|maths|mathematics|数学"},
    ConceptRow{"physics", Nature::Level, "physics|物理"},
    ConceptRow{"chemistry", Nature::Level, "chemistry|化学"},
    ConceptRow{"biology", Nature::Level, "biology|生物"},
    ConceptRow{"history", Nature::Level, "history|历史"},
    ConceptRow{"geography", Nature::Level, "geography|地理"},
    ConceptRow{"english", Nature::Level, "english|英语|英文"},
    ConceptRow{"chinese", Nature::Level, "chinese|语文"},
    ConceptRow{"art", Nature::Level, "art|arts|美术|艺术"},
    ConceptRow{"music", Nature::Level, "music|音乐"},
    ConceptRow{"sports", Nature::Level, "sports|sport|pe|physical education|gym|体育"},
    ConceptRow{"reading", Nature::Level, "reading|reading score|阅读"},
    ConceptRow{"writing", Nature::Level, "writing|writing score|写作"},
    ConceptRow{"homework", Nature::Level, "homework|study hours|study time|作业|学习时间"},
    ConceptRow{"steps", Nature::Additive, "steps|step count|步数"},
    ConceptRow{"sleep", Nature::Level, "sleep|sleep hours|睡眠|睡眠时间"},
    ConceptRow{"fuelused", Nature::Additive, "fuel consumption|fuel used|litres|liters|油耗|用油量"},
    ConceptRow{"water", Nature::Additive, "water|water use|water consumption|用水量|用水"},
    ConceptRow{"gas", Nature::Additive, "gas|gas consumption|用气量|燃气"},
    ConceptRow{"emissions", Nature::Additive, "emissions|emission|carbon|排放|排放量|碳排放"},
    ConceptRow{"rent", Nature::Level, "rent|rental|租金|房租"},
    ConceptRow{"premium", Nature::Additive, "premium|premiums|保费|保险费"},
    ConceptRow{"insurance", Nature::Additive, "insurance|claim amount|claims|理赔|理赔金额|赔付|赔款"},
    ConceptRow{"rooms", Nature::Level, "rooms|bedrooms|bathrooms|卧室|房间数|卫生间"},
    ConceptRow{"floor", Nature::Level, "floor|floors|storey|楼层"},
    ConceptRow{"mpg", Nature::Level, "mpg|miles per gallon|horsepower|hp|马力"},
    ConceptRow{"date", Nature::Time,
        "date|day|time|timestamp|datetime|when|order date|日期|时间|交易日期|下单时间|订单日期|销售日期"},
    ConceptRow{"birthday", Nature::Time, "birth|born|birthday|birth date|date of birth|出生日期|生日"},
    ConceptRow{"signed up", Nature::Time,
        "signup|signups|sign up|signed up|registration|registered|注册|开户|入会|登记"},
    ConceptRow{"cancelled", Nature::Time,
        "cancel|cancelled|canceled|cancellation|churn date|取消|退订|注销|解约"},
    ConceptRow{"delivered", Nature::Time, "delivery|delivered|arrival|arrived|送达|交付|签收|到货"},
    ConceptRow{"shipped", Nature::Time, "ship|shipped|shipping|dispatch|dispatched|发货|寄出"},
    ConceptRow{"closed", Nature::Time,
        "closed|close|resolved|resolution|completed|completion|finished|关闭|解决|完成|结案|完工"},
    ConceptRow{"paid", Nature::Time, "paid|payment|pay|付款|支付|到账|回款"},
    ConceptRow{"hired", Nature::Time,
        "hire date|hired|hire|joined|join|joining date|start date|入职|入职日期|入职时间|加入"},

    ConceptRow{"region", Nature::Name,
        "neighborhood|neighborhoods|neighbourhood|borough|street|街区|社区|region|regions|area|"
        "areas|territory|territories|zone|zones|district|market|regional|geography|地区|区域|大区|"
        "片区|地域|区"},
    ConceptRow{"city", Nature::Name,
        "分行|支行|网点|分店|门店|分公司|branches|city|cities|town|location|office|site|branch|城市|地点|市"},
    ConceptRow{"site", Nature::Name, "site|sites|站点|场地|场所"},
    ConceptRow{"line", Nature::Name, "production line|production lines|line|产线|生产线|流水线"},
    ConceptRow{"province", Nature::Name, "province|provinces|state|states|county|省份|省|州"},
    ConceptRow{"country", Nature::Name, "country|countries|nation|nations|国家|国"},
    ConceptRow{"category", Nature::Name,
        "genre|genres|category|categories|type|types|kind|kinds|class|segment|group|"
        "product category|product line|classification|line of business|类别|品类|类型|种类|分类|类目|"
        "商品类别|产品类别"},
    ConceptRow{"product", Nature::Name,
        "product|products|item|items|goods|article|articles|sku|merchandise|商品|产品|货品|货物|品名|"
        "商品名称|产品名称"},
    ConceptRow{"merchant", Nature::Name,
        "merchant|merchants|shop|shops|store|stores|vendor|vendors|seller|sellers|supplier|"
        "suppliers|retailer|business|outlet|outlets|商户|商家|店铺|门店|商店|供应商|店"},
    ConceptRow{"customer", Nature::Name,
        "customer|customers|client|clients|buyer|buyers|shopper|shoppers|account|consumer|"
        "member|客户|顾客|买家|会员|消费者"},
    ConceptRow{"user", Nature::Name,
        "乘客|旅客|游客|passenger|passengers|user|users|visitor|visitors|ip|ip address|people|person|"
        "用户|访客|访问者"},
    ConceptRow{"employee", Nature::Name,
        "employee|employees|staff|worker|workers|people|person|colleague|personnel|"
        "staff member|team member|员工|职工|雇员|同事|人员|职员|人"},
    ConceptRow{"salesperson", Nature::Name,
        "salesperson|sales rep|sales person|salesman|seller|sales representative|rep|reps|"
        "agent|agents|销售员|业务员|销售人员|销售代表|导购"},
    ConceptRow{"respondent", Nature::Name,
        "respondent|respondents|participant|participants|people|person|受访者|参与者|问卷"},
    ConceptRow{"department", Nature::Name,
        "department|departments|dept|depts|division|divisions|team|teams|unit|business unit|"
        "部门|科室|团队|事业部|业务部"},
    ConceptRow{"job", Nature::Name,
        "job|job title|title|position|positions|role|roles|occupation|job role|岗位|职位|职务|职称|职业"},
    ConceptRow{"position", Nature::Name, "position|positions|pos|位置|场上位置"},
    ConceptRow{"level", Nature::Name,
        "level|levels|grade|rank|seniority level|tier|membership level|membership tier|"
        "member level|会员等级|会员级别|级别|等级|职级|层级"},
    ConceptRow{"education", Nature::Name,
        "education|degree|education level|qualification|学历|教育程度|教育|文化程度"},
    ConceptRow{"gender", Nature::Name, "gender|sex|genders|male or female|men and women|性别|男女"},
    ConceptRow{"payment", Nature::Name,
        "payment method|payment methods|payment type|payment|payment mode|pay method|"
        "means of payment|way of paying|tender|支付方式|付款方式|支付渠道|支付|付款|结算方式"},
    ConceptRow{"channel", Nature::Name,
        "channel|channels|sales channel|platform|platforms|source|medium|渠道|平台|来源|销售渠道"},
    ConceptRow{"brand", Nature::Name, "brand|brands|make|manufacturer|品牌|厂商"},
    ConceptRow{"roomtype", Nature::Name, "room type|room types|kind of room|type of room|房型|房间类型"},
    ConceptRow{"hotel", Nature::Name, "hotel|hotels|resort|property|酒店|宾馆|旅馆"},
    ConceptRow{"rider", Nature::Name, "rider|riders|courier|couriers|driver|drivers|骑手|快递员|司机|配送员"},
    ConceptRow{"reader", Nature::Name, "reader|readers|borrower|borrowers|读者|借阅人|借书人"},
    ConceptRow{"stage", Nature::Name, "stage|stages|phase|pipeline stage|deal stage|阶段|进度"},
    ConceptRow{"label", Nature::Name, "label|labels|tag|tags|标签"},
    ConceptRow{"assignee", Nature::Name, "assignee|assignees|owner|assigned to|负责人|处理人"},
    ConceptRow{"manager", Nature::Name,
        "manager|managers|project manager|project managers|account manager|account managers|"
        "customer success manager|csm|csms|supervisor|经理|项目经理|客户经理|主管"},
    ConceptRow{"cycle", Nature::Name, "billing cycle|付费周期|计费周期|账单周期|付款周期"},
    ConceptRow{"insurer", Nature::Name,
        "insurance|insurances|insurance type|insurer|health plan|保险|医保|保险类型"},
    ConceptRow{"dish", Nature::Name, "dish|dishes|menu item|menu items|cuisine|菜品|菜系|菜"},
    ConceptRow{"donor", Nature::Name, "donor|donors|捐赠人|捐款人"},
    ConceptRow{"waiter", Nature::Name, "waiter|waiters|waitress|server|服务员"},
    ConceptRow{"cashier", Nature::Name, "cashier|cashiers|收银员"},
    ConceptRow{"nurse", Nature::Name, "nurse|nurses|护士"},
    ConceptRow{"landlord", Nature::Name, "landlord|landlords|host|hosts|房东"},
    ConceptRow{"tenant", Nature::Name, "tenant|tenants|租客|租户"},
    ConceptRow{"technician", Nature::Name,
        "technician|technicians|engineer|engineers|mechanic|技术员|工程师|维修员|技师"},
    ConceptRow{"inspector", Nature::Name, "inspector|inspectors|质检员|检验员|检查员"},
    ConceptRow{"guide", Nature::Name, "guide|guides|导游|讲解员"},
    ConceptRow{"completed", Nature::Name, "completed|completion|finished|finish|结业"},
    ConceptRow{"late", Nature::Name, "delayed|late|behind schedule|overdue|延期|延误|晚点|逾期"},
    ConceptRow{"return", Nature::Name,
        "return|returns|returned|returning|sent back|send back|sends back|sending back|"
        "brought back|退货|退回|退换"},
    ConceptRow{"referee", Nature::Name, "referee|referees|ref|umpire|裁判"},
    ConceptRow{"stadium", Nature::Name, "stadium|stadiums|venue|venues|ground|arena|球场|场馆|体育场"},
    ConceptRow{"match", Nature::Name, "match|matches|game|games|fixture|fixtures|比赛|场次|赛事"},
    ConceptRow{"season", Nature::Name, "season|seasons|赛季|季节"},
    ConceptRow{"plan", Nature::Name, "plan|plans|subscription|package|membership|套餐|会员类型|方案"},
    ConceptRow{"trainer", Nature::Name, "trainer|trainers|coach|coaches|教练"},
    ConceptRow{"crop", Nature::Name, "crop|crops|plant|grain|作物|农作物|庄稼"},
    ConceptRow{"meter", Nature::Name, "meter|meters|电表|仪表"},
    ConceptRow{"diagnosis", Nature::Name, "diagnosis|diagnoses|病情|诊断结果"},
    ConceptRow{"airport", Nature::Name, "airport|airports|机场"},
    ConceptRow{"reason", Nature::Name, "reason|reasons|cause|原因"},
    ConceptRow{"comment", Nature::Name, "comment|comments|remark|remarks|备注|评论"},
    ConceptRow{"shift", Nature::Name, "shift|shifts|班次|时段"},
    ConceptRow{"color", Nature::Name, "color|colour|colors|colours|颜色"},
    ConceptRow{"size", Nature::Name, "size|sizes|尺码|规格|尺寸"},
    ConceptRow{"risk", Nature::Name, "risk|risk level|风险|风险等级"},
    ConceptRow{"usertype", Nature::Name,
        "user type|customer type|customer group|member type|用户类型|客户类型|读者类型"},
    ConceptRow{"status", Nature::Name,
        "status|statuses|state|status code|http status|outcome|condition|状态|状态码|订单状态"},
    ConceptRow{"device", Nature::Name,
        "device|devices|sensor|sensors|machine|machines|station|equipment|node|browser|设备|"
        "传感器|机器|站点|终端"},
    ConceptRow{"page", Nature::Name,
        "page|pages|url|urls|path|paths|endpoint|endpoints|route|uri|页面|网址|路径|接口|链接"},
    ConceptRow{"method", Nature::Name, "method|methods|http method|verb|方法|请求方法"},
    ConceptRow{"class", Nature::Name,
        "class|classes|classroom|course|courses|grade level|year group|yr group|班级|班|年级|课程"},
    ConceptRow{"student", Nature::Name, "student|students|pupil|pupils|learner|learners|trainee|"
        "trainees|学生|同学|学员|生"},
    ConceptRow{"subject", Nature::Name, "subject|subjects|科目|学科"},
    ConceptRow{"teacher", Nature::Name, "teacher|teachers|instructor|老师|教师"},
    ConceptRow{"carrier", Nature::Name, "carrier|carriers|airline|airlines|operator|航空公司|承运人|承运商|"
        "物流公司|快递公司"},
    ConceptRow{"origin", Nature::Name,
        "origin|origins|departure|departure airport|from airport|origin airport|start station|"
        "starting station|from station|departure station|pickup|pickup location|start location|"
        "start city|from city|出发地|始发地|起点|出发站|起点站"},
    ConceptRow{"destination", Nature::Name,
        "destination|destinations|arrival|arrival airport|to airport|end station|ending station|"
        "to station|arrival station|dropoff|dropoff location|end location|end city|to city|"
        "目的地|到达地|终点|到达站|终点站"},
    ConceptRow{"flight", Nature::Name, "flight|flights|航班"},
    ConceptRow{"movie", Nature::Name, "movie|movies|film|films|title|titles|电影|影片|片名"},
    ConceptRow{"author", Nature::Name,
        "author|authors|writer|artist|artists|director|directors|singer|作者|导演|歌手|艺术家"},
    ConceptRow{"song", Nature::Name, "song|songs|track|tracks|album|歌曲|专辑"},
    ConceptRow{"book", Nature::Name, "book|books|书|图书|书名"},
    ConceptRow{"player", Nature::Name, "player|players|athlete|球员|选手|运动员"},
    ConceptRow{"club", Nature::Name, "club|clubs|team|teams|squad|球队|俱乐部|队伍"},
    ConceptRow{"patient", Nature::Name, "patient|patients|病人|患者"},
    ConceptRow{"doctor", Nature::Name, "doctor|doctors|physician|医生|大夫"},
    ConceptRow{"disease", Nature::Name, "disease|diagnosis|condition|illness|疾病|诊断|病种"},
    ConceptRow{"hospital", Nature::Name, "hospital|hospitals|clinic|ward|医院|科室|病区"},
    ConceptRow{"model", Nature::Name, "model|models|car|cars|vehicle|vehicles|车型|型号|车辆"},
    ConceptRow{"fuel", Nature::Name, "fuel|fuel type|engine|燃料|能源类型"},
    ConceptRow{"company", Nature::Name,
        "company|companies|firm|ticker|symbol|issuer|公司|企业|股票|股票代码"},
    ConceptRow{"industry", Nature::Name, "industry|industries|sector|sectors|行业|产业|板块"},
    ConceptRow{"project", Nature::Name, "project|projects|项目"},
    ConceptRow{"campaign", Nature::Name, "campaign|campaigns|ad|ads|advertisement|活动|广告"},
    ConceptRow{"priority", Nature::Name, "priority|severity|urgency|优先级|严重程度"},
    ConceptRow{"ticket", Nature::Name, "ticket|tickets|issue|issues|complaint|complaints|工单|投诉"},
    ConceptRow{"warehouse", Nature::Name,
        "warehouse|warehouses|depot|factory|plant|plants|仓库|工厂|厂"},
    ConceptRow{"language", Nature::Name, "language|languages|语言"},
    ConceptRow{"weather", Nature::Name, "weather|conditions|天气"},
    ConceptRow{"marital", Nature::Name, "marital status|married|婚姻|婚姻状况"},
    ConceptRow{"listing", Nature::Name,
        "listing|listings|property|properties|house|houses|home|homes|房源|房子|房屋"},
    ConceptRow{"agegroup", Nature::Name,
        "age group|age groups|age band|age bracket|age range|年龄段|年龄组"},
    ConceptRow{"attrition", Nature::Name,
        "attrition|churn|churned|terminated|termination|exited|"
        "left|leave|leaving|resigned|quit|turnover|leavers|离职|流失"},
    ConceptRow{"order", Nature::Name, "order|orders|purchase|purchases|订单|单子|单"},
    ConceptRow{"transaction", Nature::Name, "transaction|transactions|txn|交易"},
    ConceptRow{"request", Nature::Name, "request|requests|hit|call|calls|请求"},
    ConceptRow{"name", Nature::Name, "name|full name|employee name|customer name|姓名|名字|名称"},
};
// clang-format on

struct Meaning {
    std::vector<Token> phrase;
    std::vector<Word> words;
};

// By the first token, so that a question looks at few of them.
const std::multimap<std::string, Meaning>& meanings() {
    static const auto table = [] {
        std::map<std::string, Meaning> by_text;
        for (const Row& row : kWords) {
            for (auto& phrase : phrases_of(row.phrases)) {
                std::string key;
                for (const Token& token : phrase) key += token.text + " ";
                Meaning& meaning = by_text[key];
                meaning.phrase = std::move(phrase);
                meaning.words.push_back(row.word);
            }
        }
        std::multimap<std::string, Meaning> by_first;
        for (auto& [key, meaning] : by_text) {
            const std::string first = meaning.phrase.front().stem;
            by_first.emplace(first, std::move(meaning));
        }
        return by_first;
    }();
    return table;
}

bool is_same_text(const std::vector<Token>& tokens, std::size_t at, const Meaning& meaning) {
    return matches_at(tokens, at, meaning.phrase);
}

// 年级 is no year, though it begins like one
bool is_cut_off(const std::vector<Token>& tokens, std::size_t at, const Meaning& meaning) {
    const std::size_t end = at + meaning.phrase.size();
    return end < tokens.size() && tokens[end - 1].text == "年" && tokens[end].text == "级";
}

}  // namespace

std::string meant_by_slip(const Token& token) {
    static const std::map<std::string, std::string> kShort = {{"wich", "which"}, {"whch", "which"},
                                                              {"waht", "what"},  {"hwo", "how"},
                                                              {"teh", "the"},    {"mnay", "many"}};
    if (const auto found = kShort.find(token.text); found != kShort.end()) return found->second;
    if (token.kind != Token::Kind::Word || token.text.size() < 5) return "";
    if (token.text == "summer" || token.text == "winter") return "";  // not summed, winner
    if (meanings().contains(token.stem)) return "";  // begins a phrase as it stands
    const auto sorted = [](std::string text) {
        std::sort(text.begin(), text.end());
        return text;
    };
    for (const auto& [first, meaning] : meanings()) {
        if (meaning.phrase.size() != 1 || meaning.phrase[0].kind != Token::Kind::Word) continue;
        const std::string& meant = meaning.phrase[0].text;
        if (meant.size() < 5 || meaning.words[0] == Word::Noise) continue;
        // short words are near to many others: only letters that changed places
        const bool is_short = meant.size() < 6 || token.text.size() < 6;
        if (is_short && sorted(token.text) != sorted(meant)) continue;
        if (is_typo_of(token.text, meant)) return meant;
    }
    return "";
}

std::vector<Tag> tags_of(const std::vector<Token>& tokens) {
    std::vector<Tag> tags;
    for (std::size_t at = 0; at < tokens.size();) {
        const Meaning* best = nullptr;
        const auto [begin, end] = meanings().equal_range(tokens[at].stem);
        for (auto i = begin; i != end; ++i) {
            if (!is_same_text(tokens, at, i->second)) continue;
            if (best == nullptr || i->second.phrase.size() > best->phrase.size()) {
                best = &i->second;
            }
        }
        const bool is_tie = tokens[at].text == "draws";  // matches that nobody won
        if (is_tie || (best != nullptr && is_cut_off(tokens, at, *best))) best = nullptr;
        const std::size_t length = best == nullptr ? 1 : best->phrase.size();
        if (best != nullptr) {
            for (const Word word : best->words) tags.push_back({word, at, at + length});
        }
        at += length;
    }
    return tags;
}

const std::vector<Concept>& concepts() {
    static const auto table = [] {
        std::vector<Concept> out;
        for (const ConceptRow& row : kConcepts) {
            out.push_back({row.name, row.nature, phrases_of(row.phrases)});
        }
        return out;
    }();
    return table;
}

bool is_weak(const Token& token) {
    static const std::set<std::string_view> kWeak = {
        "id",  "name", "code", "no",    "number", "nr", "key", "usd", "eur", "cny",
        "rmb", "the",  "of",   "编",    "号",     "名", "称",  "元",  "gbp", "in",
        "pct", "type", "col",  "total", "label",  "c",  "f",   "ms",  "kg"};
    return kWeak.contains(token.text);
}

bool is_concept_word(const Token& token) {
    static const auto words = [] {
        std::set<std::string> out;
        for (const Concept& about : concepts()) {
            for (const auto& phrase : about.phrases) {
                if (phrase.size() == 1 && phrase[0].kind == Token::Kind::Word) {
                    out.insert(phrase[0].stem);
                }
            }
        }
        return out;
    }();
    return words.contains(token.stem);
}

bool is_name_phrase(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
    return std::any_of(concepts().begin(), concepts().end(), [&](const Concept& about) {
        return about.nature == Nature::Name &&
               std::any_of(about.phrases.begin(), about.phrases.end(), [&](const auto& phrase) {
                   return phrase.size() == end - begin && matches_at(tokens, begin, phrase);
               });
    });
}

bool is_noise(const Token& token) {
    static const auto noise = [] {
        std::set<std::string> words;
        for (const Row& row : kWords) {
            if (row.word != Word::Noise) continue;
            for (const auto& phrase : phrases_of(row.phrases)) {
                if (phrase.size() == 1) words.insert(phrase[0].text);
            }
        }
        return words;
    }();
    return noise.contains(token.text);
}

}  // namespace atl::offline
