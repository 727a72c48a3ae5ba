/** Resource sources that read a file, or run a program, beside the advertiser. */
import type { BerthPlugin } from '@berth/plugin-api'
import { command } from './command.ts'
import { file } from './file.ts'

export const plugins: readonly BerthPlugin[] = [command, file]
