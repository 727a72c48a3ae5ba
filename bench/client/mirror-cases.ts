import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connectQuietly } from '@berth/e2e/cluster/connect-with-kubeconfig'
import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { largeCluster } from '@berth/e2e/real-api-server/large-cluster'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { assertCorrect, type BenchOptions, type Measurement } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import { digestOf } from './digest.ts'

interface MirrorCost {
  readonly ms: number
  readonly peakBytes: number
  readonly objects: number
}

interface Contender {
  readonly name: string
  readonly command: readonly [string, ...string[]]
}

/** Fills the server with nodes and pods, then measures each client that mirrors them, in turns. */
export async function benchMirrors(server: RealApiServer, options: BenchOptions): Promise<readonly Measurement[]> {
  const [nodes, pods, rounds] = options.isQuick ? [100, 1_000, 1] : [5_000, 50_000, 5]
  await using cluster = connectQuietly({ access: server.access() })
  options.progress(`writing ${nodes} nodes and ${pods} pods`)
  await server.seed(largeCluster(nodes, pods))
  const kubeconfig = join(server.dir, 'bench.kubeconfig')
  writeFileSync(kubeconfig, server.kubeconfig())
  const contenders = contendersFor(server.dir, kubeconfig, options)
  const costs = contenders.map(() => new Array<MirrorCost>())
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      // The first contender changes from round to round.
      const at = (turn + round) % contenders.length
      const contender = contenders[at]
      if (contender === undefined) continue
      const cost = await measureMirror(contender, cluster, `${round}-${at}`)
      assertCorrect(cost.objects === nodes + pods, `${contender.name} holds ${cost.objects} objects`)
      costs[at]?.push(cost)
      options.progress(`${contender.name}: ${rounded(cost.ms)} ms, ${rounded(cost.peakBytes / 1e6)} MB`)
    }
  }
  const own = costs[0] ?? []
  return (['ms', 'peakBytes'] as const).flatMap((key) =>
    contenders.map(({ name }, at) => {
      const summary = summarize((costs[at] ?? []).map((cost) => cost[key]))
      const what = key === 'ms' ? 'list and watch, time' : 'list and watch, peak memory'
      const unit: Measurement['unit'] = key === 'ms' ? 'ms' : 'B'
      const measured = { bench: 'client', case: `${what}, ${nodes} nodes and ${pods} pods, ${name}`, unit, ...summary }
      if (at === 0) return measured
      const ratio = rounded(summarize(own.map((cost) => cost[key])).median / summary.median)
      return { ...measured, against: 'berth', ratio }
    }),
  )
}

function contendersFor(dir: string, kubeconfig: string, options: BenchOptions): readonly Contender[] {
  const here = import.meta.dirname
  const node = (file: string): Contender['command'] => [
    process.execPath,
    '-C',
    '@berth/source',
    join(here, file),
    kubeconfig,
  ]
  const found: Contender[] = [
    { name: 'berth', command: node('mirror-berth.ts') },
    { name: 'client-node', command: node('mirror-client-node.ts') },
  ]
  const binary = join(dir, 'mirror-client-go')
  const { status, error, stderr } = spawnSync(
    'go',
    ['build', '-trimpath', '-o', binary, join(here, 'client-go', 'main.go')],
    {
      cwd: join(here, '..', '..', 'e2e', 'node-image', 'modules', 'kubernetes'),
      env: { ...process.env, CGO_ENABLED: '0' },
      encoding: 'utf8',
    },
  )
  if (status !== 0) options.progress(`skipping client-go: ${error?.message ?? stderr.trim()}`)
  else {
    found.push({ name: 'client-go, JSON', command: [binary, kubeconfig] })
    found.push({ name: 'client-go, protobuf', command: [binary, kubeconfig, 'protobuf'] })
  }
  return found
}

/** Starts a mirror and changes the cluster. Checks that the mirrored objects then equal a new list. */
async function measureMirror({ name, command }: Contender, cluster: Cluster, mark: string): Promise<MirrorCost> {
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async (): Promise<string> => {
    const next = await lines.next()
    assertCorrect(next.done !== true, `${name} exited early`)
    return next.value
  }
  try {
    const cost = JSON.parse(await line()) as MirrorCost
    for (let i = 0; i < 50; i++)
      await cluster.client.patch(
        resourceRefs.pods,
        { namespace: 'default', name: `pod-${i}` },
        { metadata: { annotations: { mark } } },
        { type: 'merge' },
      )
    const [nodes, pods] = [await cluster.client.list(resourceRefs.nodes), await cluster.client.list(resourceRefs.pods)]
    const expected = digestOf([...nodes.items, ...pods.items])
    let held = ''
    for (let tries = 0; tries < 60 && held !== expected; tries++) {
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, 500))
      child.stdin.write('\n')
      held = await line()
    }
    assertCorrect(held === expected, `the objects that ${name} mirrors differ from a new list`)
    return cost
  } finally {
    child.kill('SIGKILL')
  }
}
