import { BerthError } from '@berth/types'

/** The simulator cannot start: its address or a file is not to be had. */
export class SimulatorStartError extends BerthError {}
