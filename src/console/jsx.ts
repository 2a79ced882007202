/** What elements of the sources become calls of. */
export { Fragment, h } from 'preact';
