/**
 * Loaded into a process by `--import`, leaks what the variable BERTH_SOAK_LEAK names: `handles` or `memory`. Shows that the
 * soak finds a leak; no program loads it by itself.
 */
import { openSync } from 'node:fs'

const MIB = 1_048_576
const everyMs = Number(process.env['BERTH_SOAK_LEAK_EVERY_MS'] ?? 500)
const leak = process.env['BERTH_SOAK_LEAK']
const kept: Uint8Array[] = []

if (leak === 'handles') setInterval(() => openSync('/dev/null', 'r'), everyMs).unref()
if (leak === 'memory') setInterval(() => kept.push(new Uint8Array(MIB).fill(1)), everyMs).unref()
