import { errorText } from '@berth/text/error-text'
import { BerthError, type BerthErrorOptions } from '@berth/types'

/** Where a kubeconfig went wrong; every part that is known is set. */
export interface KubeconfigPlace {
  readonly file?: string
  readonly context?: string
  /** Path of the key inside the file, for example `clusters[0].cluster.server`. */
  readonly key?: string
}

/** A kubeconfig, or the pod's own service account, that cannot be used. Only a person can mend it. */
export class KubeconfigError extends BerthError {
  readonly place: KubeconfigPlace

  constructor(message: string, place: KubeconfigPlace, options: BerthErrorOptions) {
    super(message, options)
    this.place = place
  }
}

/** The error of a kubeconfig that was found but cannot be used: its line names file, context and key, as far as known. */
export function kubeconfigError(place: KubeconfigPlace, reason: string, options: BerthErrorOptions): KubeconfigError {
  const { file = '', context, key } = place
  const where = context === undefined ? file : `${file}, context "${context}"`
  const what = key === undefined ? reason : `${key}: ${reason}`
  return new KubeconfigError(`use kubeconfig ${where}: ${what}`, place, options)
}

/** What an exception says, in one line. */
export function lineOf(cause: unknown): string {
  const message = errorText(cause)
  return message.trim().replaceAll(/\s*\n\s*/g, ' ')
}
