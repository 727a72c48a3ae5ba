import type { CommandLine } from '@berth/process/command'
import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import { validateExtendedResourceName } from '@berth/types'
import { readSchedulerConfiguration } from '@berth/scheduler-config'
import type { CommandContext } from '../cli/command.ts'
import { readTextFile } from '../cli/read-text-file.ts'
import { CommandError, UsageError } from '../errors.ts'
import { structuredText } from '../output/structured-text.ts'
import { wrapSentence } from '../output/wrap-sentence.ts'
import { kindFiles, kubeadmFiles, type WiringFile } from './control-plane-files.ts'
import { schedulerConfiguration, type WiringOptions } from './extender-stanza.ts'
import { lintExtenders, urlProblem } from './lint-extenders.ts'
import { renewFiles } from './renew-files.ts'

const HELP = 'Run: kubectl berth wire --help'

/**
 * Runs `kubectl berth wire`.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE; CommandError BERTH_KUBECTL_RENEW, or BERTH_KUBECTL_WIRING after the findings, if one is an error;
 * ConfigError for a file that kube-scheduler would not accept.
 */
export async function runWire(
  line: CommandLine,
  context: Pick<CommandContext, 'terminal' | 'connect' | 'stop'>,
): Promise<void> {
  const { terminal } = context
  const secret = line.text('renew')
  if (secret !== undefined) {
    await renewFiles(secret, tlsDirOf(line), context)
    return
  }
  const file = line.text('check')
  if (file !== undefined) {
    await check(file, terminal)
    return
  }
  const options = readOptions(line)
  const format = line.text('format') ?? 'stanza'
  if (format === 'stanza') {
    terminal.out(structuredText(schedulerConfiguration(options), 'yaml'))
  } else {
    const files = format === 'kubeadm' ? kubeadmFiles(options) : kindFiles(options)
    terminal.out(files.map(fileText).join('---\n'))
  }
  terminal.note(nextSteps(format, options))
}

function readOptions(line: CommandLine): WiringOptions {
  const resources = line.texts('resource')
  const ignored = line.texts('ignored')
  for (const name of [...resources, ...ignored]) {
    const problem = validateExtendedResourceName(name)
    if (problem !== undefined) throw new UsageError(`read resource ${name}: ${problem}`, HELP)
  }
  const twice = ignored.find((name) => resources.includes(name))
  if (twice !== undefined) throw new UsageError(`read resource ${twice}: it is in --resource and --ignored`, HELP)
  const hasBind = line.has('bind')
  const [first] = ignored
  if (first !== undefined && !hasBind) {
    throw new UsageError(
      `wire --ignored ${first} without --bind: two pods could get its last unit`,
      'Add --bind, and set bind to true in the configuration of the extender.',
    )
  }
  const url = line.text('url') ?? 'https://127.0.0.1:8888'
  if (!/^https?:\/\/[^/\s]+/.test(url) || !URL.canParse(url)) {
    throw new UsageError(`read --url ${hideUrlCredentials(url)}: it is not an http or https URL`, HELP)
  }
  const problem = urlProblem(url)
  if (problem !== undefined) throw new UsageError(`read --url ${hideUrlCredentials(url)}: ${problem}`, HELP)
  return { url, tlsDir: tlsDirOf(line), serverName: line.text('server-name'), resources, ignored, hasBind }
}

function tlsDirOf(line: CommandLine): string {
  return (line.text('tls-dir') ?? '/etc/kubernetes/berth').replace(/\/+$/, '')
}

function fileText({ path, content }: WiringFile): string {
  return `# ${path}\n${structuredText(content, 'yaml')}`
}

function nextSteps(format: string, { url, tlsDir, ignored, hasBind }: WiringOptions): string {
  const certificates = [
    `Put ca.crt, tls.crt and tls.key of the client certificate into ${format === 'kind' ? './berth' : tlsDir}:`,
    `For a release berth: kubectl berth wire --renew berth-system/berth-authority-client --tls-dir ${format === 'kind' ? './berth' : tlsDir}`,
    'Its authority renews that Secret. Repeat the command before the certificate expires.',
    'Its common name or a DNS name must be in allowedClientNames of the extender, which has kube-scheduler by default.',
  ]
  const ignoredKey = ignored.length > 0 ? `, ignoredResources: [${ignored.join(', ')}]` : ''
  const steps = [
    ...(url.startsWith('https:') ? certificates : []),
    ...(format === 'kubeadm'
      ? [`Then run on each control plane node: kubeadm init phase control-plane scheduler --patches ${tlsDir}/patches`]
      : []),
    ...(format === 'kind' ? ['Then run: kind create cluster --config kind.yaml'] : []),
    ...(hasBind ? [`The extender needs in its configuration: bind: true${ignoredKey}`] : []),
    'A managed control plane does not let you change its kube-scheduler: run a second one with the Helm chart.',
  ]
  return `${steps.join('\n')}\n`
}

async function check(file: string, terminal: CommandContext['terminal']): Promise<void> {
  const text = await readTextFile(terminal, file)
  const { extenders } = readSchedulerConfiguration(file, () => text)
  const findings = lintExtenders(extenders)
  if (extenders.length === 0) terminal.out(`${file} configures no extender.\n`)
  else if (findings.length === 0) terminal.out(`${file}: no problems in ${extenders.length} extender(s).\n`)
  for (const { severity, path, message } of findings)
    terminal.out(`${wrapSentence(`${severity}: ${path}: ${message}`, terminal.tableColumns).join('\n')}\n`)
  const errors = findings.filter(({ severity }) => severity === 'error').length
  if (errors > 0) {
    throw new CommandError(`check ${file}: ${errors} error(s) in the wiring of the extender`, {
      code: 'BERTH_KUBECTL_WIRING',
      hint: 'Change the keys that the output names. `kubectl berth wire` prints a correct entry.',
    })
  }
}
