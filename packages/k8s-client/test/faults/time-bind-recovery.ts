import type { FakeClock } from '@berth/clock/testing'
import type { Pod } from '@berth/types'
import type { Cluster } from '../../src/index.ts'
import type { BindServer } from './bind-server.ts'

const STEP_MS = 500
const LASTING_STEPS = 20
const BOUND_MS = 2_000

/** The environment of {@link timeBindRecovery}. */
export interface BindRecoverySite {
  readonly cluster: Cluster
  readonly server: BindServer
  readonly clock: FakeClock
  /** Ends the fault of every request. */
  readonly heal: () => void
}

/**
 * Starts two binds per second during a fault of ten seconds and after it, and measures when one succeeds again.
 *
 * @returns Milliseconds from the end of the fault; undefined after more than two seconds.
 */
export async function timeBindRecovery(site: BindRecoverySite): Promise<number | undefined> {
  const { cluster, server, clock, heal } = site
  const boundAt: number[] = []
  let serial = 0
  const bindOne = async (): Promise<void> => {
    const [name, uid] = [`load-${++serial}`, `load-uid-${serial}`]
    const pod: Pod = { metadata: { namespace: 'default', name, uid }, spec: { containers: [] } }
    server.pods.set(name, { uid })
    const { kind } = await cluster.client.bind(pod, 'node-load')
    if (kind === 'bound') boundAt.push(clock.monotonic())
  }
  const step = async (): Promise<void> => {
    void bindOne()
    await clock.advance(STEP_MS)
  }
  for (let steps = 0; steps < LASTING_STEPS; steps++) await step()
  heal()
  const healedAt = clock.monotonic()
  const tookMs = (): number | undefined => {
    const at = boundAt.find((ms) => ms >= healedAt)
    return at === undefined ? undefined : at - healedAt
  }
  for (let ms = 0; ms < BOUND_MS && tookMs() === undefined; ms += STEP_MS) await step()
  return tookMs()
}
