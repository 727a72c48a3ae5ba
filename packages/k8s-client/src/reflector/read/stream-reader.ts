import type { WatchFrame } from './watch-frame.ts'

/** One undecoded frame or item: JSON text, or protobuf bytes. */
export type Payload = string | Uint8Array

/** Reads the body of a watch, in one encoding. */
export interface WatchReader {
  /** Returns the frames that `chunk` completes. Throws if a frame is too large. */
  push(chunk: Uint8Array): readonly Payload[]
  /**
   * Decodes a frame; undefined if it is not one, so that the stream cannot be trusted. An object that cannot be decoded
   * is an {@link UndecodableObject}.
   */
  parse(payload: Payload): WatchFrame | undefined
}

/** Reads the body of a list while it arrives, in one encoding. */
export interface ListReader {
  /** Returns the items that `chunk` completes. Throws if the list cannot be read. */
  push(chunk: Uint8Array): readonly Payload[]
  /** Decodes an item, which may be an {@link UndecodableObject}. */
  parse(payload: Payload): unknown
  /**
   * Returns the metadata of the list.
   *
   * @throws Error if the list has not ended
   */
  metadata(): { readonly resourceVersion?: string; readonly continue?: string }
}

/** An object that could not be decoded, with the metadata that could be. */
export class UndecodableObject {
  /** An object with metadata; without a name if not even they could be decoded. */
  readonly partial: unknown
  readonly cause: unknown

  constructor(partial: unknown, cause: unknown) {
    this.partial = partial
    this.cause = cause
  }
}
