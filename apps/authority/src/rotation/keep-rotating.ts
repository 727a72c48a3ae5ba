import { pause } from '@berth/clock'
import type { Clock } from '@berth/types'
import type { AuthorityMetrics } from '../metrics.ts'
import { rotate, type CertificateTimes, type Rotation, type RotationOptions } from './rotate.ts'

/** Dependencies of {@link keepRotating}. */
export interface KeepRotatingOptions extends RotationOptions {
  /** Name of each Secret -> its label in metrics. */
  readonly labels: ReadonlyMap<string, string>
  readonly checkMs: number
  readonly metrics: AuthorityMetrics
  readonly clock: Clock
  /** Called after each rotation, with the error of one that failed. */
  readonly onRotated: (failure?: unknown) => void
}

/** Rotates at once and then regularly, until `signal` aborts. A failure is logged, and the next rotation tries again. */
export async function keepRotating(options: KeepRotatingOptions, signal: AbortSignal): Promise<void> {
  const { clock, checkMs, log, metrics, onRotated } = options
  while (!signal.aborted) {
    try {
      const rotation = await rotate(options)
      report(rotation, options)
      metrics.lastSuccess.set(clock.now() / 1_000)
      metrics.rotations.inc({ result: 'ok' })
      onRotated()
    } catch (err) {
      if (signal.aborted) return
      metrics.rotations.inc({ result: 'failed' })
      log.error({ err }, 'Could not bring the certificates up to date')
      onRotated(err)
    }
    await pause(clock, checkMs, signal)
  }
}

function report(rotation: Rotation, { labels, metrics, log }: KeepRotatingOptions): void {
  const set = (certificate: string, times: CertificateTimes | undefined): void => {
    if (times === undefined) {
      metrics.expiry.remove({ certificate })
      metrics.renewal.remove({ certificate })
      return
    }
    metrics.expiry.set({ certificate }, times.expiresMs / 1_000)
    metrics.renewal.set({ certificate }, times.renewalMs / 1_000)
  }
  set('authority', rotation.authority)
  set('next-authority', rotation.nextAuthority)
  for (const [secret, label] of labels) set(label, rotation.leaves.get(secret))
  metrics.outdatedSchedulers.set(rotation.outdatedSchedulers)
  if (rotation.outdatedSchedulers > 0) {
    log.warn(
      { schedulers: rotation.outdatedSchedulers },
      'kube-scheduler must be restarted: it does not know the next certificate authority, because it reads the authorities only when it starts',
    )
  }
}
