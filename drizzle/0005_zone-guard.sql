ALTER TABLE `deleted_zone` ADD `guard` text;--> statement-breakpoint
ALTER TABLE `zone` ADD `guard` text;