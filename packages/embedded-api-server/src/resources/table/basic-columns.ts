import type { Column } from './column.ts'
import { ageOf } from './human-duration.ts'

/** The column that every table starts with. */
export const nameColumn: Column = {
  name: 'Name',
  format: 'name',
  description: 'Name of the object, unique within its kind and namespace.',
  cell: (object) => object.metadata.name ?? '',
}

/** How long the object exists. */
export const ageColumn: Column = {
  name: 'Age',
  description: 'Time since the object was created.',
  cell: (object, nowMs) => ageOf(object.metadata.creationTimestamp, nowMs),
}
