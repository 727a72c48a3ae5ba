import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { toStoredObject } from '@berth/e2e/real-api-server/large-cluster'
import {
  type RealApiServer,
  realApiServerBinaries,
  startRealApiServer,
} from '@berth/e2e/real-api-server/real-api-server'
import { pidOf } from '../scheduler/process-cpu.ts'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import type { FloorCase, FloorCost, FloorEncoding, FloorTransport } from './floor-case.ts'
import { startStubServer } from './stub-server-process.ts'

const IN_FLIGHT = 32
const transports: readonly FloorTransport[] = [
  'node:https',
  'undici',
  'raw TLS sockets',
  'raw TLS sockets, pipelined',
  'HTTP/2',
]
const encodings: readonly FloorEncoding[] = ['JSON', 'protobuf']
const valueNames = { cpuUs: 'CPU time', wallUs: 'wall time', serverCpuUs: 'CPU time of the server' } as const
const contenders = transports.flatMap((transport) => encodings.map((encoding) => ({ transport, encoding })))

/** A server, and what it needs before a client binds the pods of a prefix. */
interface FloorServer extends Pick<FloorCase, 'server' | 'ca' | 'authorization' | 'serverPid'> {
  readonly name: string
  readonly pods: Omit<FloorCase['pods'], 'prefix'>
  readonly rounds: number
  prepare(prefix: string, pods: number): Promise<void>
}

/**
 * Measures the CPU time below which no client can get: that of a bare client that only binds pods and writes their
 * events.
 */
export const floorsBench: Bench = {
  name: 'floors',
  summary: 'CPU time of a bare client per bind and event, over each transport, in JSON and protobuf',
  async run(options) {
    const { isQuick } = options
    const rounds = isQuick ? 1 : 5
    await using stub = await startStubServer()
    const pods = isQuick ? { warmUp: 200, measured: 500 } : { warmUp: 2_000, measured: 5_000 }
    const lines = await measure({ ...stub, name: 'stub server', pods, rounds, prepare: async () => {} }, options)
    if (realApiServerBinaries() === undefined) {
      options.progress('skipping the real API server: run e2e/node-image/build-node-image')
      return lines
    }
    await using real = await startRealApiServer({ isDurable: true })
    return [...lines, ...(await measure(await floorServerOf(real, isQuick), options))]
  },
}

async function floorServerOf(real: RealApiServer, isQuick: boolean): Promise<FloorServer> {
  const access = real.access()
  const { server, ca = '' } = access
  const { headers } = await access.credentials()
  const serverPid = pidOf('kube-apiserver', real.dir)
  return {
    name: 'kube-apiserver',
    server,
    ca,
    authorization: headers['authorization'] ?? '',
    ...(serverPid !== undefined && { serverPid }),
    pods: isQuick ? { warmUp: 50, measured: 100 } : { warmUp: 1_000, measured: 2_000 },
    rounds: isQuick ? 1 : 5,
    prepare: (prefix, pods) => real.seed(waitingPods(prefix, pods)),
  }
}

function* waitingPods(prefix: string, pods: number): Generator<readonly [string, unknown]> {
  for (let i = 0; i < pods; i++) {
    const name = `${prefix}-${i}`
    const pod = { metadata: { namespace: 'default', name }, spec: { containers: [{ name: 'main', image: 'none' }] } }
    yield [`pods/default/${name}`, toStoredObject('Pod', pod)]
  }
}

async function measure(target: FloorServer, { progress }: BenchOptions): Promise<readonly Measurement[]> {
  const costs = contenders.map(() => new Array<FloorCost>())
  for (let round = 0; round < target.rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      // The first client changes from round to round.
      const at = (turn + round) % contenders.length
      const contender = contenders[at]
      if (contender === undefined) continue
      const prefix = `pod-${round}-${at}`
      await target.prepare(prefix, target.pods.warmUp + target.pods.measured)
      const { server, ca, authorization, serverPid, pods } = target
      const cost = await runClient({
        ...contender,
        server,
        ca,
        authorization,
        inFlight: IN_FLIGHT,
        ...(serverPid !== undefined && { serverPid }),
        pods: { prefix, ...pods },
      })
      costs[at]?.push(cost)
      const { transport, encoding } = contender
      progress(`${target.name}, ${transport}, ${encoding}: ${rounded(cost.cpuUs)} us of CPU time a pod`)
    }
  }
  const values =
    target.serverPid === undefined ? (['cpuUs', 'wallUs'] as const) : (['cpuUs', 'wallUs', 'serverCpuUs'] as const)
  return contenders.flatMap(({ transport, encoding }, at) =>
    values.map((value) => ({
      bench: 'floors',
      case: `${target.name}, ${transport}, ${encoding}: ${valueNames[value]} a pod`,
      unit: 'us' as const,
      ...summarize((costs[at] ?? []).map((cost) => cost[value] ?? Number.NaN)),
    })),
  )
}

/** Runs one client in a process of its own. It fails unless every response has the status 201. */
async function runClient(floorCase: FloorCase): Promise<FloorCost> {
  const program = join(import.meta.dirname, 'floor-client.ts')
  const child = spawn(process.execPath, ['-C', '@berth/source', program, JSON.stringify(floorCase)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const output = await text(child.stdout)
  const [code] = (await exited) as [number | null]
  const { transport, encoding, server } = floorCase
  assertCorrect(code === 0, `binding over ${transport} in ${encoding} at ${server}: exit status ${code}`)
  return JSON.parse(output) as FloorCost
}
