import { resourceRefs, type ApiClient, type ResourceRef } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import type { Command } from '../command.ts'
import { paintFor } from '../paint.ts'
import { withProgress } from '../progress.ts'
import { structuredText } from '../structured-text.ts'
import { briefText } from './brief-text.ts'
import { briefTree } from './brief-tree.ts'
import { controlNames, controlText, readControlPanel } from './control-panel.ts'
import { findKind } from './find-kind.ts'
import type { KindRow } from './kind-table.ts'
import { defaultKinds, readBrief } from './read-brief.ts'

/** `kubectl berth brief`. */
export const briefCommand: Command = {
  name: 'brief',
  summary: 'Shows each workload with its pods, services and related objects, and what waits for what.',
  usage: 'brief [-n NAMESPACE | -A] [-l SELECTOR] [--kind KIND ...] [--control]',
  maxWords: 0,
  usesCluster: true,
  flags: [
    { name: 'namespace', short: 'n', placeholder: 'NAME', description: "Namespace; default: the context's." },
    { name: 'all-namespaces', short: 'A', description: 'All namespaces.' },
    { name: 'selector', short: 'l', placeholder: 'SELECTOR', description: 'Only workloads with these labels.' },
    {
      name: 'kind',
      placeholder: 'KIND',
      isRepeatable: true,
      description: 'Show this kind of workload too, for example clonesets.',
    },
    {
      name: 'related',
      placeholder: 'KIND',
      isRepeatable: true,
      description: "Show objects of this kind that have a workload's name or owner.",
    },
    { name: 'control', description: 'Show the control panel too: controllers, schedulers, DNS, registry secrets.' },
    {
      name: 'control-match',
      placeholder: 'TEXT',
      isRepeatable: true,
      description: `What belongs to it; default: ${controlNames.join(', ')}.`,
    },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FORMAT',
      choices: ['wide', 'json', 'yaml'],
      description: 'Format of the answer.',
    },
  ],
  examples: [
    { command: 'kubectl berth brief', description: 'What runs in this namespace' },
    { command: 'kubectl berth brief -A --control', description: 'Everything, and what runs it' },
    {
      command: 'kubectl berth brief --kind clonesets --related upgradestrategies',
      description: 'Custom workloads with their companions',
    },
  ],
  async run(given, { terminal, connect, stop }) {
    await using session = await connect()
    const { client } = session.cluster
    const namespace = given.has('all-namespaces') ? undefined : (given.text('namespace') ?? session.namespace)
    let hasGaps = false
    const onMissing = (sentence: string): void => {
      hasGaps = true
      terminal.note(`${sentence}\n`)
    }
    const isWide = given.text('output') === 'wide'
    const query = { namespace, signal: stop, onMissing }

    const input = await withProgress(terminal, 'Reading workloads and pods', async () => {
      const kinds = await findKinds(client, given.texts('kind'), stop)
      const related = await findKinds(client, given.texts('related'), stop)
      const labelSelector = given.text('selector')
      return readBrief(client, { ...query, kinds: [...kinds, ...defaultKinds], related, labelSelector, isWide })
    })
    const sections = briefTree(input)
    const names = given.texts('control-match')
    const panel = given.has('control')
      ? await readControlPanel(client, { ...query, matching: names.length > 0 ? names : controlNames })
      : undefined

    const format = given.text('output')
    if (format === 'json' || format === 'yaml') {
      terminal.out(structuredText({ sections, ...(panel !== undefined && { controlPanel: panel }) }, format))
      return
    }
    const paint = paintFor(terminal)
    if (sections.length === 0)
      terminal.note(
        `Nothing ${hasGaps ? 'that may be listed ' : ''}runs in ${namespace === undefined ? 'this cluster' : `namespace ${namespace}`}.\n`,
      )
    terminal.out(briefText(sections, { columns: terminal.columns, paint, withNamespace: namespace === undefined }))
    if (panel !== undefined) terminal.out(`${sections.length > 0 ? '\n' : ''}${controlText(panel, paint)}`)
    const waiting = input.pods.rows.find(isUnscheduled)?.object.metadata
    if (waiting !== undefined) {
      terminal.note(`\nWhy it waits: kubectl berth explain pod ${waiting.name ?? ''} -n ${waiting.namespace ?? ''}\n`)
    }
  },
}

async function findKinds(
  client: ApiClient,
  words: readonly string[],
  signal: AbortSignal,
): Promise<readonly ResourceRef[]> {
  const known = Object.values(resourceRefs)
  return Promise.all(
    words.map(async (word) => known.find(({ plural }) => plural === word) ?? findKind(client, word, signal)),
  )
}

function isUnscheduled({ object }: KindRow): boolean {
  const { status } = object as Pod
  return status?.conditions?.some((one) => one.type === 'PodScheduled' && one.status === 'False') ?? false
}
