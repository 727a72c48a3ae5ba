/** Bytes that are not a valid message of the expected type. */
export class ProtobufError extends Error {
  /** @param reason - What is wrong, and at which byte of the input. */
  constructor(reason: string) {
    super(`invalid protobuf: ${reason}`)
    this.name = 'ProtobufError'
  }
}
