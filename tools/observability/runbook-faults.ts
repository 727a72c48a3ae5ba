/** The sections of a page, in their order. */
const SECTIONS = ['## Meaning', '## Look', '## Act']

/** Commands that succeed, but do not show what a page would use them for. */
const COMMAND_TRAPS = [
  {
    pattern: /logs (?:deployment|daemonset)\/\S+ (?!--all-pods)/,
    says: 'logs of one pod, maybe a standby: add --all-pods',
  },
  { pattern: /can-i \S+ \S+\//, says: 'can-i takes the word after the slash for a name: use --subresource' },
]

/** Names that a page may use. */
export interface RunbookNames {
  readonly alerts: readonly string[]
  readonly metrics: ReadonlySet<string>
  /** Commands of `kubectl berth`. */
  readonly commands: ReadonlySet<string>
}

/**
 * Returns what is wrong with the pages of the runbook: an alert without a page and the other way round, a missing section,
 * a metric or a command that does not exist. An empty list means no faults.
 *
 * @param pages - Name of the file without `.md` -> text.
 */
export function runbookFaults(pages: ReadonlyMap<string, string>, names: RunbookNames): readonly string[] {
  const alerts = new Set(names.alerts)
  return [
    ...names.alerts.filter((name) => !pages.has(name)).map((name) => `${name}: docs/runbook/${name}.md is missing`),
    ...[...pages].flatMap(([name, text]) => {
      if (!alerts.has(name)) return [`docs/runbook/${name}.md: no alert has this name`]
      return pageFaults(name, text, names).map((fault) => `docs/runbook/${name}.md: ${fault}`)
    }),
  ]
}

function pageFaults(name: string, text: string, { metrics, commands }: RunbookNames): readonly string[] {
  const headings = text.split('\n').filter((line) => line.startsWith('#'))
  return [
    ...(headings.join() === [`# ${name}`, ...SECTIONS].join() ? [] : [`the sections are not ${SECTIONS.join(', ')}`]),
    ...[...text.matchAll(/\bberth_[a-z0-9_]+/g)]
      .filter(([metric]) => !metrics.has(metric))
      .map(([metric]) => `there is no metric ${metric}`),
    ...[...text.matchAll(/kubectl berth ([a-z]+)/g)]
      .filter(([, command = '']) => !commands.has(command))
      .map(([, command]) => `there is no kubectl berth ${command}`),
    ...COMMAND_TRAPS.filter(({ pattern }) => pattern.test(text)).map(({ says }) => says),
  ]
}
