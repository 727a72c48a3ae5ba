import type { DesiredState } from '../plan/desired-state.ts'
import type { SourceReadings } from '../sources/source-readings.ts'

/**
 * The result of preparing a configuration: the desired state, and the readings of the resource sources that it uses.
 */
export interface Setup {
  readonly desired: DesiredState
  readonly readings: SourceReadings
}
