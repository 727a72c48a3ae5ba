import type { PrometheusRule } from '@berth/tools/observability/prometheus-groups'
import type { AlertCase, InputSeries } from './alert-cases.ts'

/** Evaluated at the end of the series. */
const EVALUATED_AT = '2h'

/**
 * Returns the tests of a file for `promtool test rules`: each alert fires on the series of its case, and on nothing when
 * it is healthy.
 */
export function ruleTests(
  rules: readonly PrometheusRule[],
  cases: Readonly<Record<string, AlertCase>>,
): readonly object[] {
  return rules.flatMap((rule) => {
    const own = cases[rule.alert]
    if (own === undefined) throw new Error(`${rule.alert} has no case`)
    const alert = {
      exp_labels: { ...rule.labels, ...own.labels },
      exp_annotations: Object.fromEntries(
        Object.entries(rule.annotations).map(([name, text]) => [name, withLabels(text, own.labels)]),
      ),
    }
    return [ruleTest(rule, own.fires, [alert]), ruleTest(rule, own.silent, [])]
  })
}

function ruleTest({ alert }: PrometheusRule, input: InputSeries, expected: readonly object[]): object {
  return {
    name: `${alert} ${expected.length === 0 ? 'does not fire' : 'fires'}`,
    interval: '1m',
    input_series: Object.entries(input).map(([series, values]) => ({ series, values })),
    alert_rule_test: [{ eval_time: EVALUATED_AT, alertname: alert, exp_alerts: expected }],
  }
}

/** Fills in `{{ $labels.NAME }}` as Prometheus does. @throws Error for a label that the alert does not have */
function withLabels(text: string, labels: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => {
    const value = labels[name]
    if (value === undefined) throw new Error(`the alert has no label ${name}: ${text}`)
    return value
  })
}
