/** Zone files that are chosen or dropped, also as a folder. */
import { filesOf } from '../dropped.ts';
import { useLatestOf } from '../latest.ts';

interface FileFieldProps {
  readonly label?: string;
  /** Of one file. */
  readonly take: (text: string, name: string) => void;
  /** Undefined where one is wanted: then it is the first. */
  readonly takeMany?: (files: readonly File[]) => void;
}

const manyFiles =
  'Choose a zone file or several, drop them or a folder here, or paste the text of one below';

export function FileField({ label = manyFiles, take, takeMany }: FileFieldProps) {
  const hear = useLatestOf((give: () => void) => give());
  const read = async (files: readonly File[]) => {
    const [first] = files;
    if (files.length > 1 && takeMany) return () => takeMany(files);
    if (first === undefined) return () => {};
    const text = await first.text();
    return () => take(text, first.name);
  };
  return (
    <label
      class="filter drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer !== null) hear(filesOf(event.dataTransfer).then(read));
      }}
    >
      <span>{label}</span>
      <input
        type="file"
        multiple={takeMany !== undefined}
        onChange={({ currentTarget: { files } }) => hear(read([...(files ?? [])]))}
      />
    </label>
  );
}
