import { BerthError } from '@berth/types'

/** The simulator cannot start, because its address, a file or the cluster to join is not usable. */
export class SimulatorStartError extends BerthError {}
