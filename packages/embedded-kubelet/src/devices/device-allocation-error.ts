import { BerthError } from '@berth/types'

/** The devices of a container cannot be allocated. The pod fails with reason UnexpectedAdmissionError. */
export class DeviceAllocationError extends BerthError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'BERTH_SIMULATOR_DEVICE_ALLOCATION', ...(cause !== undefined && { cause }) })
  }
}
