import { errorText } from '@berth/text/error-text'
import { BerthError, type BerthErrorOptions } from '@berth/types'

/** The place of a mistake in a kubeconfig; every part that is known is set. */
export interface KubeconfigPlace {
  readonly file?: string
  readonly context?: string
  /** Path of the key inside the file, for example `clusters[0].cluster.server`. */
  readonly key?: string
}

/** A kubeconfig or a pod's service account cannot be used. A retry does not help: the user must correct it. */
export class KubeconfigError extends BerthError {
  readonly place: KubeconfigPlace

  constructor(message: string, place: KubeconfigPlace, options: BerthErrorOptions) {
    super(message, options)
    this.place = place
  }
}

/** Creates the error for a kubeconfig that was found but cannot be used. The message names file, context and key. */
export function kubeconfigError(place: KubeconfigPlace, reason: string, options: BerthErrorOptions): KubeconfigError {
  const { file = '', context, key } = place
  const where = context === undefined ? file : `${file}, context "${context}"`
  const what = key === undefined ? reason : `${key}: ${reason}`
  return new KubeconfigError(`use kubeconfig ${where}: ${what}`, place, options)
}

/** Returns the message of an exception in one line. */
export function oneLineMessage(cause: unknown): string {
  const message = errorText(cause)
  return message.trim().replaceAll(/\s*\n\s*/g, ' ')
}
