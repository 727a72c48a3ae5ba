import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { notesCommands } from '@berth/testing'
import type { Node, Pod } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readClusterState, readStillState, untilSettled } from '../../cluster/cluster-state.ts'
import { mergeValues } from '../../cluster/merge-values.ts'
import { packPlugin } from '../../cluster/packed-plugin.ts'
import { NAMESPACE, RELEASE, ensureNamespace, installRelease, type Release } from '../../cluster/release.ts'
import { runCommand, type CommandResult } from '../../cluster/run-command.ts'
import { connectToSession, pausePod, play, type Scene } from '../../cluster/test-cluster.ts'
import { seenWhile } from '../../cluster/observe-during.ts'
import { sessionUnderTest } from '../../cluster/test-environment.ts'
import { diffStates, type ClusterState, type StateDiff } from '../../cluster/diff-states.ts'
import { workersOf } from '../../cluster/workers.ts'
import { advertiserPlays, advertiserValues } from '../../checks/advertiser.ts'
import { SLOT, devicePluginPlays, devicePluginValues } from '../../checks/device-plugin.ts'
import { DONGLE } from '../../checks/dongles.ts'
import { explainPlay } from '../../checks/explain.ts'
import { ignoredValues, licencePlay, uncountedPlay } from '../../checks/extender.ts'
import { PACKED_SEAT, packedPluginPlays, packedPluginValues } from '../../checks/packed-plugins.ts'
import { schedulerPlays, schedulerValues } from '../../checks/scheduler.ts'

const session = sessionUnderTest()

/** Packed plugins and a file of seats, in the namespace. */
async function contributedValues({ client }: Cluster, workers: readonly string[]): Promise<unknown> {
  const pack = async (name: string): Promise<unknown> =>
    (await packPlugin(client, `examples/plugins/${name}`, NAMESPACE)).volume
  const seats = { metadata: { name: 'seats', namespace: NAMESPACE }, data: { seats: 'alice\nbob\ncarol\n' } }
  await client.delete(resourceRefs.configMaps, seats.metadata)
  await client.create(resourceRefs.configMaps, seats)
  return packedPluginValues(workers, {
    scheduling: await pack('scheduling'),
    deviceSource: await pack('device-source'),
    resourceSource: await pack('resource-source'),
    seats: 'seats',
  })
}

/** Runs lines of a shell with the kubectl, the Helm and the kubeconfig of this run. */
async function inShell(script: string): Promise<CommandResult> {
  const bin = await mkdtemp(join(tmpdir(), 'berth-bin-'))
  try {
    await symlink(session.helm, join(bin, 'helm'))
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, KUBECONFIG: session.kubeconfig }
    return await runCommand('bash', ['-euo', 'pipefail', '-c', script], { env, timeoutMs: 400_000 })
  } finally {
    await rm(bin, { recursive: true })
  }
}

/** Uids of the release's pods that are to stay, by app. */
async function podsByApp({ client }: Scene): Promise<Readonly<Record<string, readonly string[]>>> {
  const { items } = await client.list<Pod>(resourceRefs.pods, { namespace: NAMESPACE })
  const found: Record<string, string[]> = {}
  for (const { metadata } of items) {
    if (metadata.deletionTimestamp !== undefined) continue
    const app = metadata.labels?.['app.kubernetes.io/component'] ?? '?'
    found[app] = [...(found[app] ?? []), metadata.uid ?? ''].toSorted()
  }
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** What is in the Secrets by which kube-scheduler and the extender know each other. */
async function certificatesOf(scene: Scene): Promise<readonly unknown[]> {
  const text = await scene.kubectl(
    'get',
    'secrets',
    '-n',
    NAMESPACE,
    '--field-selector',
    'type=kubernetes.io/tls',
    '-o',
    'json',
  )
  return (JSON.parse(text) as { readonly items: readonly { readonly data: unknown }[] }).items.map(({ data }) => data)
}

describe('everything together', () => {
  const cluster = connectToSession()
  const { client } = cluster
  let before: ClusterState | undefined
  let release: Release | undefined
  let values: unknown

  beforeAll(async () => {
    const workers = await workersOf(client)
    await ensureNamespace('privileged')
    const contributed = await contributedValues(cluster, workers)
    await untilSettled(client)
    before = await readStillState(client, session)
    values = mergeValues(advertiserValues(workers), devicePluginValues, ignoredValues, schedulerValues, contributed)
    release = await installRelease({ profile: 'full', values })
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
  })

  const plays = [
    ...advertiserPlays,
    ...devicePluginPlays,
    licencePlay,
    uncountedPlay,
    ...schedulerPlays,
    ...packedPluginPlays,
    explainPlay,
  ]
  test.for(plays.map((each) => [each.name, each] as const))('%s', async ([, { run }]) => {
    expect(await play(run, { waitMs: 180_000 })).toEqual({ holds: true })
  })

  test('an upgrade renews the pods of the app whose configuration it changes and no other, and takes nothing away', async () => {
    const spare = 'example.com/spare'
    const outcome = await play(
      async (scene) => {
        const [first = '', second = ''] = scene.workers
        const [podsBefore, certificates] = [await podsByApp(scene), await certificatesOf(scene)]
        expect(Object.keys(podsBefore)).toEqual(['advertiser', 'device-plugin', 'extender', 'scheduler'])
        expect(certificates).toHaveLength(2)
        const more = { advertiser: { config: { resources: [{ name: spare, units: 2, nodes: { names: [second] } }] } } }
        const upgrade = (async () => release?.upgrade(mergeValues(values, more)))()
        const seen = await seenWhile(
          upgrade,
          async () => `${await scene.units(first, DONGLE)} dongles, ${await scene.units(first, SLOT)} slots`,
        )
        await scene.until(`two of ${spare} on ${second}`, async () =>
          (await scene.units(second, spare)) === '2/2' ? true : undefined,
        )
        expect(seen).toEqual(['4/4 dongles, 4/4 slots'])
        expect(await certificatesOf(scene)).toEqual(certificates)
        const { advertiser: newOnes = [], ...others } = await podsByApp(scene)
        const { advertiser: oldOnes = [], ...othersBefore } = podsBefore
        expect(others).toEqual(othersBefore)
        expect(newOnes).toHaveLength(1)
        expect(oldOnes).not.toContain(newOnes[0])
      },
      { waitMs: 180_000 },
    )
    expect(outcome).toEqual({ holds: true })
  })

  test('the commands that NOTES.txt prints work as they are, helm test among them', async () => {
    const commands = notesCommands(release?.notes ?? '')
    expect(commands.join('\n')).toMatch(/^helm .* test /m)
    expect(commands.length).toBeGreaterThan(4)
    for (const command of commands) {
      const result = await inShell(command)
      console.log(`$ ${command}\n${result.stdout}`)
      expect({ command, ...result }).toMatchObject({ status: 0 })
    }
  })

  test.for([
    ['what the advertiser offers', DONGLE],
    ['a device', SLOT],
  ] as const)('an uninstall is refused while a running pod holds %s, and says which', async ([, resource]) => {
    const outcome = await play(
      async (scene) => {
        const [holder, idler] = [scene.name('holder'), scene.name('idler')]
        await scene.createPod(pausePod(holder, { [resource]: '1' }))
        await scene.createPod(pausePod(idler, {}))
        await scene.untilRunning(holder)
        await scene.untilRunning(idler)
        const { status, stdout, stderr } = (await release?.uninstall()) ?? { status: 0, stdout: '', stderr: '' }
        expect(status).not.toBe(0)
        expect(`${stdout}${stderr}`).toContain(holder)
        expect(`${stdout}${stderr}`).toContain(resource)
        expect(`${stdout}${stderr}`).not.toContain(idler)
        const [node = ''] = scene.workers
        expect(await scene.units(node, DONGLE)).toBe('4/4')
        expect(await scene.units(node, SLOT)).toBe('4/4')
      },
      { waitMs: 180_000 },
    )
    expect(outcome).toEqual({ holds: true })
  })

  test('after the uninstall that NOTES.txt names, the cluster is as it was before', async () => {
    const [, command = ''] = /^ {2}(helm .*uninstall .*)$/m.exec(release?.notes ?? '') ?? []
    expect(command).toBe(`helm --namespace ${NAMESPACE} uninstall ${RELEASE}`)
    const result = await inShell(command)
    expect(result).toMatchObject({ status: 0 })
    const compare = async (): Promise<StateDiff> =>
      diffStates(before as ClusterState, await readClusterState(client, session), [SLOT, PACKED_SEAT])
    let diff = await compare()
    // Garbage collection follows; nothing of ours is waited for.
    const deadlineMs = performance.now() + 180_000
    while (diff.differences.length > 0 && performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      diff = await compare()
    }
    console.log(`differences after the uninstall: ${diff.differences.length === 0 ? 'none' : ''}`)
    for (const line of diff.differences) console.log(`  ${line}`)
    console.log('not counted: Events, Leases, certificate requests, resourceVersions, heartbeats, cached images, and')
    for (const line of diff.kept) console.log(`  ${line}`)
    expect(diff.differences).toEqual([])
    // On every node, the control plane's too.
    const nodes = (await client.list<Node>(resourceRefs.nodes)).items.map(({ metadata }) => metadata.name ?? '')
    const expected = nodes.flatMap((node) => [`${node} keeps ${PACKED_SEAT} 3/0`, `${node} keeps ${SLOT} 4/0`])
    expect(diff.kept).toEqual(expected.toSorted())
  })
})
