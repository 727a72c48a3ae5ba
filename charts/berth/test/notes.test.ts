import { notesCommands } from '@berth/testing'
import { describe, expect, test } from 'vitest'
import { find, type ChartObject } from './chart-object.ts'
import { helmOnChart, profiles, render, type HelmOptions } from './render.ts'

const DRY_RUN = ['--dry-run=client', '--hide-notes=false']

async function notes(options: HelmOptions): Promise<string> {
  const flags = [...DRY_RUN, ...(options.flags ?? [])]
  const { code, stdout, stderr } = await helmOnChart(['install', 'berth'], { ...options, flags })
  expect([code, stderr]).toEqual([0, ''])
  return stdout.slice(stdout.indexOf('NOTES:'))
}

/** The kind of object for each resource name that kubectl accepts. */
const kinds: Readonly<Record<string, string>> = {
  daemonset: 'DaemonSet',
  deployment: 'Deployment',
  clusterrole: 'ClusterRole',
  configmap: 'ConfigMap',
}

/** Returns the object of the chart that a command names, or undefined when the command names none. */
function objectNamedIn(command: string, objects: readonly ChartObject[]): ChartObject | undefined {
  const [, word = '', name = ''] = /(daemonset|deployment|clusterrole|configmap)[/ ](\S+)/.exec(command) ?? []
  const kind = kinds[word]
  return kind === undefined ? undefined : find(objects, kind, name)
}

describe('NOTES.txt', () => {
  test.for(profiles)('with profile %s, each command names an installed object in its namespace', async (profile) => {
    const commands = notesCommands(await notes({ profile }))
    const objects = await render({ profile })
    expect(commands).toContain('helm --namespace berth-system test berth')
    const shown = commands.flatMap((command) => {
      const object = objectNamedIn(command, objects)
      if (object === undefined) return []
      expect(command.includes('--namespace berth-system ')).toBe(object.metadata.namespace !== undefined)
      return [`${object.kind} ${object.metadata.name}`]
    })
    const workloads = objects.filter(
      ({ kind, metadata }) =>
        ['DaemonSet', 'Deployment'].includes(kind) && metadata.annotations?.['helm.sh/hook'] === undefined,
    )
    expect(shown).toEqual(expect.arrayContaining(workloads.map(({ kind, metadata }) => `${kind} ${metadata.name}`)))
  })

  test('with profile demo, shows what the nodes offer and which scheduler has which name', async () => {
    const text = await notes({ profile: 'demo' })
    expect(notesCommands(text)).toContain(
      String.raw`kubectl get nodes -o custom-columns='NODE:.metadata.name,example.com/dongle:.status.allocatable.example\.com/dongle,example.com/seat:.status.allocatable.example\.com/seat'`,
    )
    expect(text).toContain("berth-scheduler: Berth's scheduler")
    expect(text).toContain("berth-kube-scheduler: a kube-scheduler that calls Berth's extender")
    expect(text).toContain('Uninstalling is refused while a running pod holds a resource that Berth provides.')
  })

  test('says where to declare resources when none are declared', async () => {
    expect(await notes({ profile: 'advertiser-only' })).toContain(
      'No resources are declared yet: add some to advertiser.config.resources.',
    )
  })

  test('shows where the configuration for your own kube-scheduler is', async () => {
    const values = { extender: { kubeScheduler: { enabled: false }, service: { enabled: true } } }
    const commands = notesCommands(await notes({ profile: 'extender-only', values }))
    expect(commands).toContain(
      String.raw`kubectl --namespace berth-system get configmap berth-extender-wiring -o jsonpath='{.data.extenders\.yaml}'`,
    )
  })
})
