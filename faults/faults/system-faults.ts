import { apiFaults } from './api-faults.ts'
import { deviceFaults } from './device-faults.ts'
import { extenderFaults } from './extender-faults.ts'
import { objectFaults } from './object-faults.ts'
import { processFaults } from './process-faults.ts'
import { serverFaults } from './server-faults.ts'
import type { SystemFault } from './system-fault.ts'

/** Every fault. */
export const systemFaults: readonly SystemFault[] = [
  ...processFaults,
  ...apiFaults,
  ...serverFaults,
  ...deviceFaults,
  ...extenderFaults,
  ...objectFaults,
]

/** The faults by their row of the fault table, so that a row with many faults is not chosen more often. */
export const faultRows: readonly (readonly SystemFault[])[] = [
  ...Map.groupBy(systemFaults, ({ name }) => name.split(' ')[0]).values(),
]
