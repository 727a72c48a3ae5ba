import { createAuthority, type KeyPair, type TestAuthority } from '@berth/e2e/real-scheduler/certificates'
import { type ExtenderProcess, startExtender } from '@berth/e2e/real-scheduler/extender-process'
import { largeCluster } from '@berth/e2e/real-api-server/large-cluster'
import { processMemory, resetPeak } from '@berth/e2e/real-api-server/process-memory'
import { startRealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { startProgram } from '@berth/process/testing'
import { memoryLimit } from '@berth/tools/chart/memory-limit'
import type { ExtenderFilterResult } from '@berth/types'
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { assertCorrect, type Bench, type Measurement } from '../measurement.ts'
import { p99, summarize } from '../statistics.ts'
import { requireBinaries } from '../extender/extender-bench.ts'
import { connectToExtender, nodesBody } from '../extender/extender-client.ts'

const NODES = 500
const ROUNDS = 3
/** Time between two legitimate calls. */
const GAP_MS = 5
const ATTACKER_NICENESS = 10
/** Part of the chart's memory limit that the extender may use. The kernel's buffers of its connections count against the limit, too. */
const MEMORY_SHARE = 0.9
const MIB = 1_048_576

/** The attacks of `attack-main.ts`, and whether the attacker has a certificate with an allowed name. */
const attacks = [
  { name: 'no attack', kind: undefined, caller: 'kube-scheduler' },
  { name: '10,000 idle connections', kind: 'idle', caller: 'kube-scheduler' },
  { name: '100 MB bodies with an allowed name', kind: 'large-bodies', caller: 'kube-scheduler' },
  { name: '100 MB bodies with another name', kind: 'large-bodies', caller: 'node-7' },
  { name: 'calls with 1.2 million names', kind: 'names', caller: 'kube-scheduler' },
  { name: 'slow-loris', kind: 'slow-loris', caller: 'kube-scheduler' },
  { name: 'large bodies held back', kind: 'held-bodies', caller: 'kube-scheduler' },
] as const

/** Measures the p99 of legitimate calls and the memory of the extender while another process attacks it. */
export const extenderLoadBench: Bench = {
  name: 'extender-load',
  summary:
    'p99 of calls to the extender and its memory under idle connections, 100 MB bodies, 1.2 million names, slow-loris and bodies that are held back',
  async run({ isQuick, progress }) {
    requireBinaries()
    const calls = isQuick ? 50 : 500
    const mostMemory = memoryLimit('extender') * MEMORY_SHARE
    await using server = await startRealApiServer()
    await server.seed(largeCluster(NODES, NODES))
    const authority = await createAuthority()
    await using extender = await startExtender({
      dir: server.dir,
      name: 'load',
      kubeconfig: server.kubeconfig(),
      server: await authority.issue('extender'),
      ca: authority.ca,
      config: { bind: true },
      isBuilt: true,
    })
    const caller = await authority.issue('kube-scheduler')
    using client = await connectToExtender(extender.port, authority.ca, caller)
    const body = nodesBody(NODES)
    const measure = async (): Promise<number> => {
      const samples: number[] = []
      for (let i = 0; i < calls; i++) {
        const { ms, response } = await client.call('filter', body)
        const { Error } = response as ExtenderFilterResult
        assertCorrect(Error === '', `a legitimate call failed: ${Error}`)
        samples.push(ms)
        await pause(GAP_MS)
      }
      return p99(samples)
    }
    await measure()
    const lines: Measurement[] = []
    for (const { name, kind, caller: attacker } of attacks) {
      const pair = await authority.issue(attacker)
      resetPeak(extender.pid)
      await using attack =
        kind === undefined ? undefined : await startAttack(kind, server.dir, { extender, authority, pair })
      // The attack needs a moment to reach its full size.
      await pause(isQuick || kind === undefined ? 500 : 5_000)
      const rounds: number[] = []
      for (let round = 0; round < (isQuick ? 1 : ROUNDS); round++) rounds.push(await measure())
      const summary = summarize(rounds)
      lines.push({ bench: 'extender-load', case: `${name}: p99 of ${calls} calls`, unit: 'ms', ...summary })
      const { peak } = processMemory(extender.pid)
      lines.push({ bench: 'extender-load', case: `${name}: highest resident memory`, unit: 'B', ...summarize([peak]) })
      const shown = `${Math.round(peak / MIB)} MiB`
      assertCorrect(peak <= mostMemory, `${name}: ${shown} resident, more than ${Math.round(mostMemory / MIB)} MiB`)
      progress(`${name}: p99 ${summary.median} ms; ${shown}; attacker: ${(await attack?.stop()) ?? '-'}`)
    }
    // New connections are accepted as well.
    using fresh = await connectToExtender(extender.port, authority.ca, caller)
    await fresh.call('filter', body)
    return lines
  },
}

interface Attack extends AsyncDisposable {
  /** Ends the attack and returns what it did. */
  stop(): Promise<string>
}

async function startAttack(
  kind: string,
  dir: string,
  {
    extender,
    authority,
    pair,
  }: { readonly extender: ExtenderProcess; readonly authority: TestAuthority; readonly pair: KeyPair },
): Promise<Attack> {
  const paths = Object.entries({ ca: authority.ca, ...pair }).map(([name, text]) => {
    const path = join(dir, `attack.${name}`)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  })
  const main = join(import.meta.dirname, 'attack-main.ts')
  const { child, line, ended } = startProgram(main, [kind, `${extender.port}`, ...paths])
  // An attacker has processors of its own. Here it shares those of the extender.
  setPriority(child.pid ?? 0, ATTACKER_NICENESS)
  await line('attacking')
  const stop = async (): Promise<string> => {
    child.kill('SIGTERM')
    const { stdout } = await ended
    return stdout.split('\n').at(-1) ?? ''
  }
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) }
}
