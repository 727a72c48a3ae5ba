import { BerthError } from '@berth/types'

/** A container cannot be given the devices that it asks for; the pod ends as UnexpectedAdmissionError. */
export class DeviceAllocationError extends BerthError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'BERTH_SIMULATOR_DEVICE_ALLOCATION', ...(cause !== undefined && { cause }) })
  }
}
