import type { ProbeResult } from '@berth/plugin-api'
import type { Device } from '@berth/types'

/** Decides from the runs of a probe whether a device is healthy. */
export interface ProbeThresholds {
  /** Failures in a row after which a device is failing. */
  readonly failures: number
  /** Passes in a row after which a failing device is passing. */
  readonly successes: number
  /** How long a device must pass after its second failure within {@link FLAP_WINDOW_MS}. 0 turns damping off. */
  readonly dampingMs: number
}

/** A check that runs for every device of a resource. */
export interface Probe {
  /** Short name for metrics and reasons: the type of the probe. */
  readonly name: string
  readonly intervalMs: number
  readonly timeoutMs: number
  readonly thresholds: ProbeThresholds
  readonly onFailure: 'unhealthy' | 'remove'
  run(device: Device, signal: AbortSignal): Promise<ProbeResult>
  /** Returns the directories whose changes start a run. */
  watchedDirectories(devices: readonly Device[]): readonly string[]
}
