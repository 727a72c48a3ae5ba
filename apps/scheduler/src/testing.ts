/** The scheduler in memory, for fault runs in virtual time. */
export { startVirtualScheduler, type VirtualScheduler } from './testing/virtual-scheduler.ts'
export type { SendToExtender } from './testing/virtual-extender-transport.ts'
