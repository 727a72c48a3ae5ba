import { printableText } from '@berth/text/printable'
import type { ExitRequest } from './exit-request.ts'

/** Prints the text of a request, without control sequences of a terminal. */
export function printExitRequest({ code, text, stream = code === 0 ? 'stdout' : 'stderr' }: ExitRequest): void {
  process[stream].write(printableText(text))
}
