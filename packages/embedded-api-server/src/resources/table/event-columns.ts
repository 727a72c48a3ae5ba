import type { ApiObject } from '../../schema/json/api-object.ts'
import { numberAt, own, stringAt } from '../../schema/json/json-object.ts'
import { nameColumn, textColumn, wide } from './basic-columns.ts'
import type { Column } from './column.ts'
import { ageOf } from '@berth/text/human-duration'

// Events have their time in one of several fields.
const firstTimeOf = (event: ApiObject, ...fields: readonly string[]): string =>
  fields.map((field) => stringAt(event, ...field.split('.'))).find((time) => time !== '') ?? ''

/**
 * The columns of events.
 *
 * @see kubernetes pkg/printers/internalversion/printers.go printEvent (v1.36)
 */
export const eventColumns: readonly Column[] = [
  {
    name: 'Last Seen',
    cell: (event, nowMs) =>
      ageOf(
        firstTimeOf(event, 'series.lastObservedTime', 'lastTimestamp', 'deprecatedLastTimestamp', 'eventTime'),
        nowMs,
      ),
  },
  textColumn('Type', 'type'),
  textColumn('Reason', 'reason'),
  { name: 'Object', cell: (event) => referenceText(own(event, 'involvedObject') ?? own(event, 'regarding')) },
  {
    name: 'Subobject',
    priority: 1,
    cell: (event) => stringAt(own(event, 'involvedObject') ?? own(event, 'regarding'), 'fieldPath'),
  },
  {
    name: 'Source',
    priority: 1,
    cell: (event) =>
      stringAt(event, 'source', 'component') ||
      stringAt(event, 'reportingComponent') ||
      stringAt(event, 'reportingController'),
  },
  { name: 'Message', cell: (event) => (stringAt(event, 'message') || stringAt(event, 'note')).trim() },
  {
    name: 'First Seen',
    priority: 1,
    cell: (event, nowMs) => ageOf(firstTimeOf(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime'), nowMs),
  },
  {
    name: 'Count',
    priority: 1,
    cell: (event) => String(numberAt(event, 'series', 'count') ?? numberAt(event, 'count') ?? 1),
  },
  wide(nameColumn),
]

function referenceText(reference: unknown): string {
  return `${stringAt(reference, 'kind').toLowerCase()}/${stringAt(reference, 'name')}`
}
