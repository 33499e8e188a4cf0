count();
