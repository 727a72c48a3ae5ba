import { setTimeout as pause } from 'node:timers/promises'
import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { KubernetesObject, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { startRealApiServer, type RealApiServer } from '../../real-api-server/real-api-server.ts'
import { waitUntilEqualToList } from '../../real-api-server/store-equality.ts'
import { openTcpGate, type TcpGate } from '../../real-api-server/tcp-gate.ts'

const OUTAGE_MS = 12_000
const RECOVERY_MS = 5_000
/** The client pings a silent peer after 30 s and gives it up 15 s later. */
const DETECTION_MS = 60_000

const configMap = (name: string): KubernetesObject => ({ metadata: { namespace: 'default', name } })
const pod = (name: string): Pod => ({
  metadata: { namespace: 'default', name },
  spec: { containers: [{ name: 'main', image: 'none' }] },
})

// Concurrent, because both tests mostly wait, each for its own server.
describe('the client during an outage of its API server', { concurrent: true }, () => {
  const connect = (server: RealApiServer, gate?: TcpGate): Cluster =>
    connectQuietly({
      access: server.access('admin', gate?.port),
      // Average jitter. With the longest pauses, a server that has just started would have one of the five seconds left.
      random: () => 0.5,
    })

  test('without an API server, retries without a hot loop, lets no call hang and reports the age of its data; follows again within five seconds', async () => {
    await using server = await startRealApiServer()
    await using direct = connect(server)
    await using cluster = connect(server)
    const { client } = cluster
    const mirrors = [resourceRefs.configMaps, resourceRefs.pods].map((resource) => cluster.reflect(resource))
    await Promise.all(mirrors.map((mirror) => mirror.waitForSync()))
    const waiting = await client.create(resourceRefs.pods, pod('waits'))
    const watchesBefore = mirrors.map((mirror) => mirror.stats().watches)
    await server.stop()
    const bindsMeanwhile = Promise.all([1, 2, 3].map(() => client.bind(waiting, 'node-a')))
    await pause(OUTAGE_MS)
    expect(await bindsMeanwhile).toEqual(
      Array.from({ length: 3 }, () =>
        expect.objectContaining({ kind: expect.stringMatching(/^(?:unsent|unknown)$/) as string }),
      ),
    )
    for (const [at, mirror] of mirrors.entries()) {
      expect(mirror.failure()).toMatchObject({ code: 'BERTH_API_UNREACHABLE' })
      expect(mirror.lastEventAgeMs()).toBeGreaterThan(OUTAGE_MS - 1_000)
      const tries = mirror.stats().watches - (watchesBefore[at] ?? 0)
      expect(tries, 'tries in twelve seconds').toBeGreaterThan(2)
      expect(tries, 'tries in twelve seconds').toBeLessThan(20)
    }
    await server.start()
    const backAt = performance.now()
    await direct.client.create(resourceRefs.configMaps, configMap('after-the-outage'))
    const [configMaps] = mirrors
    if (configMaps === undefined) throw new Error('there is no mirror')
    await waitUntilEqualToList(cluster, configMaps, resourceRefs.configMaps, RECOVERY_MS)
    const tookMs = Math.round(performance.now() - backAt)
    process.stdout.write(`mirrors were right again ${tookMs} ms after the API server was ready\n`)
    expect(configMaps.store.has('default/after-the-outage')).toBe(true)
    expect(await client.bind(waiting, 'node-a')).toEqual({ kind: 'bound' })
    // Each mirror recovers after its own backoff.
    const isFollowing = async (): Promise<true | undefined> =>
      mirrors.every((mirror) => mirror.failure() === undefined) || undefined
    const timeoutMs = RECOVERY_MS - tookMs
    const { signal } = new AbortController()
    await eventually(isFollowing, { what: 'every mirror to follow again', timeoutMs, intervalMs: 50, signal })
  })

  test('gives up a half-open connection within a minute and continues on a new one', async () => {
    await using server = await startRealApiServer()
    await using direct = connect(server)
    await using gate = await openTcpGate(server.port)
    await using cluster = connect(server, gate)
    const mirror = cluster.reflect(resourceRefs.configMaps)
    await mirror.waitForSync()
    const connectionsBefore = gate.connections()
    gate.set('mute')
    await direct.client.create(resourceRefs.configMaps, configMap('unheard'))
    const mutedAt = performance.now()
    while (gate.connections() === connectionsBefore && performance.now() - mutedAt < DETECTION_MS) await pause(250)
    const detectedMs = Math.round(performance.now() - mutedAt)
    gate.set('open')
    process.stdout.write(`the silent connection was given up after ${detectedMs} ms\n`)
    expect(detectedMs).toBeLessThan(DETECTION_MS)
    await waitUntilEqualToList(direct, mirror)
    expect(mirror.store.has('default/unheard')).toBe(true)
  })
})
